"""python -m cipherwright.cli"""

from .run import main

main()
