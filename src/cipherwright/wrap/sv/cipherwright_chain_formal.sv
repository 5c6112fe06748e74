// Properties of cipherwright_chain around a loop of TRIPS trips that computes any function of a block: every stream, block
// for block, is what the mode of operation says. Checked by SymbiYosys (see chain.sby) by induction, for all times, whatever
// the streams between them do.
module cipherwright_chain_formal #(
    parameter integer WIDTH = 4,
    parameter integer SLOTS = 2,
    parameter integer MODE = 0,
    parameter integer DIRECTION = 2,
    parameter integer COUNT = 4,
    parameter integer PIECES = 2,
    parameter integer TRIPS = 3
) (
    input wire             clk,
    input wire             rst_i,
    input wire             offer_i,
    input wire             first_i,
    input wire             decrypt_i,
    input wire [WIDTH-1:0] iv_i,
    input wire [WIDTH-1:0] block_i
);
    localparam CBC = 0, CFB = 1, OFB = 2, CTR = 3;
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) assume (rst_i == !started);

    // The cipher: any function, with one of both ways for CBC.
    (* anyconst *) reg [(WIDTH << WIDTH)-1:0] there;
    (* anyconst *) reg [(WIDTH << WIDTH)-1:0] back;
    wire decrypts = DIRECTION == 2 ? decrypt_i : DIRECTION == 1;

    // The loop: a slot's block, the trips that it has made, whether there is one.
    reg [SLOTS*WIDTH-1:0] data;
    reg [SLOTS*2-1:0] trips;
    reg [SLOTS-1:0] busy;
    wire [WIDTH-1:0] core_block, block;
    wire done = busy[SLOTS-1] && trips[2*SLOTS-1:2*SLOTS-2] == TRIPS[1:0];
    wire load = offer_i && (!busy[SLOTS-1] || done) && !rst_i;
    wire [WIDTH-1:0] result = data[SLOTS*WIDTH-1:(SLOTS-1)*WIDTH];
    wire [WIDTH-1:0] computed = MODE == CBC && decrypts ? back[core_block*WIDTH+:WIDTH] : there[core_block*WIDTH+:WIDTH];
    wire [0:0] slot;
    wire [WIDTH-1:0] chain;
    wire counting;
    always @(posedge clk) begin
        data <= {data[(SLOTS-1)*WIDTH-1:0], load ? computed : result};
        trips <= {trips[2*SLOTS-3:0], load ? 2'd1 : trips[2*SLOTS-1:2*SLOTS-2] + 2'd1};
        busy <= rst_i ? {SLOTS{1'b0}} : {busy[SLOTS-2:0], load | (busy[SLOTS-1] & ~done)};
    end
    cipherwright_chain #(
        .WIDTH(WIDTH), .SLOTS(SLOTS), .SLOT_BITS(1), .MODE(MODE), .DIRECTION(DIRECTION), .COUNT(COUNT), .PIECES(PIECES), .LEFT_BITS(2)
    ) dut (
        .clk(clk), .rst_i(rst_i), .zeroise_i(1'b0), .valid_i(load), .first_i(first_i), .decrypt_i(decrypt_i), .iv_i(iv_i), .block_i(block_i),
        .slot_o(slot), .block_o(block), .core_block_o(core_block), .core_valid_i(done), .core_block_i(result),
        .f_chain_o(chain), .f_counts_o(counting)
    );

    // One slot's stream as the mode's definition has it: the word that the next block is chained to, and the result awaited.
    (* anyconst *) reg watched;
    reg known = 1'b0;
    reg [WIDTH-1:0] link, expected, from, made, wanted;
    wire [WIDTH-1:0] counts = {WIDTH{1'b1}} >> (WIDTH - COUNT);
    always @(*) begin
        from = first_i ? iv_i : link;
        case (MODE)
            CBC: begin
                wanted = decrypts ? back[block_i*WIDTH+:WIDTH] ^ from : there[(block_i^from)*WIDTH+:WIDTH];
                made = decrypts ? block_i : wanted;
            end
            CFB: begin
                wanted = there[from*WIDTH+:WIDTH] ^ block_i;
                made = decrypts ? block_i : wanted;
            end
            OFB: begin
                made = there[from*WIDTH+:WIDTH];
                wanted = made ^ block_i;
            end
            default: begin
                wanted = there[from*WIDTH+:WIDTH] ^ block_i;
                made = (from & ~counts) | ((from + 1'b1) & counts);
            end
        endcase
    end
    wire mine = slot == watched;
    always @(posedge clk) if (started) begin
        if (load && mine) begin
            assume (first_i || known);  // a stream begins with its first block
            known <= 1'b1;
            link <= made;
            expected <= wanted;
        end
        if (done && mine) assert (block == expected);
        // What holds in every turn, which carries the induction. A slot that waits keeps the word that its stream goes on from.
        if (mine) begin
            assert (!busy[SLOTS-1] || known);
            assert (!busy[SLOTS-1] || (trips[2*SLOTS-1:2*SLOTS-2] != 2'd0 && trips[2*SLOTS-1:2*SLOTS-2] <= TRIPS[1:0]));
            if (busy[SLOTS-1]) assert (block == expected);
            if (known && !busy[SLOTS-1]) assert (chain == link && (MODE != CTR || !counting));
            if (MODE == CTR && busy[SLOTS-1]) begin
                assert (counting == (trips[2*SLOTS-1:2*SLOTS-2] <= PIECES[1:0]));
                if (!counting) assert (chain == link);
            end
        end
    end
endmodule
