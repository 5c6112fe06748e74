"""python -m cipherwright"""

from .cli import main

main()
