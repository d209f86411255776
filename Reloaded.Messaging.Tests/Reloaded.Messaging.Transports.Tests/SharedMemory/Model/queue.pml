/*
 * The queue between threads (BoundedRing, in MessageQueue), with its end. A producer adds, a consumer takes, and a thread closes the queue.
 * The stores of each thread go through a buffer, as in ring.pml. A compare-and-swap is atomic and waits until the own buffer is empty.
 * Checked: an item arrives whole and once; after the close, no item stays in the queue.
 *   NO_RELEASE_ADD: the sequence of a slot may be visible before its item.
 *   NO_RELEASE_TAKE: the slot may be given back before it was read and cleared.
 *   NO_ACQUIRE_TAKE: the item is read before the sequence.
 *   NO_PROCESS_FENCE: the close empties the ring without MemoryBarrierProcessWide, which waits until all buffers are empty.
 *   NO_SECOND_LOOK: a producer does not look at the flag again after it has added an item.
 */
#define SIZE 2
#define ITEM(position) (2 * ((position) % SIZE))
#define SEQUENCE(position) (ITEM(position) + 1) /* its value is less by the number of the slot, and so begins with 0 */
#define ofSlot(sequence, position) ((sequence) - (position) % SIZE)
#define CLOSED (2 * SIZE)
#define PRODUCERS 1
#define THREADS (PRODUCERS + 2)
#ifndef ITEMS
#define ITEMS 2             /* of each producer */
#endif

byte mem[2 * SIZE + 1];
byte tail, head;            /* only exchanged and read */
byte taken[PRODUCERS * ITEMS + 1];
byte accepted, released, done;

chan buffer[THREADS] = [4] of { bool, byte, byte }; /* is it a release, the address, the value */
#define put(thread, address, value) buffer[thread] ! false, address, value
#define release(thread, address, value) buffer[thread] ! true, address, value
#define fence(thread) (empty(buffer[thread]))

inline tryTake(thread) {
    got = 0;
    do
    ::  at = head;
#ifdef NO_ACQUIRE_TAKE
        item = mem[ITEM(at)];
#endif
        atomic { !(buffer[thread] ?? [true, eval(SEQUENCE(at)), any]); sequence = mem[SEQUENCE(at)] + at % SIZE }; /* a thread sees its own stores */
        if
        :: sequence == at + 1 ->
            atomic { fence(thread); wins = head == at; if :: wins -> head = at + 1 :: else fi };
            if
            :: wins ->
#ifdef NO_RELEASE_TAKE
                release(thread, SEQUENCE(at), ofSlot(at + SIZE, at));
#endif
#ifndef NO_ACQUIRE_TAKE
                item = mem[ITEM(at)];
#endif
                assert(item != 0 && taken[item] == 0);
                taken[item] = 1;
                released++;
                put(thread, ITEM(at), 0);
#ifndef NO_RELEASE_TAKE
                release(thread, SEQUENCE(at), ofSlot(at + SIZE, at));
#endif
                got = 1;
                break
            :: else
            fi
        :: else -> if :: sequence <= at && head == at -> break :: else fi
        fi
    od
}

inline takeAll(thread) {
    do
    :: true -> tryTake(thread); if :: got -> skip :: else -> break fi
    od
}

active [PRODUCERS] proctype Producer() {
    byte at, sequence, next = 0, item, got, any;
    bool wins, adds;
    byte me = _pid;
    do
    :: next == ITEMS || mem[CLOSED] -> break
    :: else ->
        at = tail;
        sequence = mem[SEQUENCE(at)] + at % SIZE;
        adds = false;
        if
        :: sequence == at && at < head + SIZE ->
            atomic { fence(me); wins = tail == at; if :: wins -> tail = at + 1; accepted++ :: else fi };
            if
            :: wins ->
#ifdef NO_RELEASE_ADD
                put(me, SEQUENCE(at), ofSlot(at + 1, at));
#endif
                put(me, ITEM(at), me * ITEMS + next + 1);
#ifndef NO_RELEASE_ADD
                release(me, SEQUENCE(at), ofSlot(at + 1, at));
#endif
                next++;
                adds = true
            :: else
            fi
        :: else
        fi;
#ifndef NO_SECOND_LOOK
        if :: adds && mem[CLOSED] -> takeAll(me) :: else fi
#endif
    od;
    fence(me);
    done++
}

active proctype Consumer() {
    byte at, sequence, item, got, any;
    bool wins;
    do
    :: mem[CLOSED] -> break
    :: else -> tryTake(PRODUCERS)
    od;
    fence(PRODUCERS);
    done++
}

active proctype Closer() {
    byte at, sequence, item, got, any;
    bool wins;
    release(PRODUCERS + 1, CLOSED, 1);
    fence(PRODUCERS + 1);
#ifndef NO_PROCESS_FENCE
    atomic { empty(buffer[0]) && empty(buffer[1]) };
#endif
    takeAll(PRODUCERS + 1);
    fence(PRODUCERS + 1);
    done == THREADS - 1 -> assert(released == accepted)
}

active [THREADS] proctype Stores() {
    bool isRelease;
    byte address, value;
    byte me = _pid - THREADS;
endStores:
    do
    :: buffer[me] ? [isRelease, address, value] -> atomic { buffer[me] ? isRelease, address, value; mem[address] = value }
    :: buffer[me] ?? [false, 0, value] -> atomic { buffer[me] ?? false, 0, value; mem[0] = value }
    :: buffer[me] ?? [false, 2, value] -> atomic { buffer[me] ?? false, 2, value; mem[2] = value }
    od
}
