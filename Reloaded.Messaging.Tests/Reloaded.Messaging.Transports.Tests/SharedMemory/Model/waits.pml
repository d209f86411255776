/*
 * The fences and publications of docs/internals/locking.md that are outside of a ring: each is one of these three. Stores go through buffers, as in ring.pml.
 *
 * Flag: a side ends and notifies a thread that may be starting (RingWaiter, OneShotTimer, UdpListener, OutgoingStream). Each writes one word and reads
 * the other one. Checked: not both miss the word of the other side. NO_FENCE_END and NO_FENCE_START remove a barrier.
 * Wait: one thread registers a continuation with its state, and another one completes the wait with a result (ManualResetValueTaskSourceCore).
 * Each exchanges the same word, and continues the wait if the other one was first. Checked: the wait continues once, with the state and the result.
 * NO_ACQUIRE_WAIT reads the state before the word. NO_RELEASE_WAIT writes the result after it, NO_RELEASE_STATE the state.
 * Use: a thread counts its use of memory before it reads whether the memory is closed, and the owner closes before it gives up its own use
 * (SharedMap). The last one frees. Checked: no thread uses freed memory, and it is freed. NO_COUNT_FIRST reads before it counts.
 */
#define RESULT 0
#define STATE 1
#define ENDED 2
#define STARTED 3
#define CLOSED 4
byte mem[5];
byte word;          /* of the wait: only exchanged. 1: a continuation is registered, 2: completed */
byte uses = 1;      /* of the memory: only exchanged */
bool freed;
byte continued;
byte missed;
byte done;

chan buffer[2] = [4] of { bool, byte, byte }; /* is it a release, the address, the value */
#define put(side, address, value) buffer[side] ! false, address, value
#define release(side, address, value) buffer[side] ! true, address, value
#define fence(side) (empty(buffer[side]))

#define early(address) buffer[_pid] ?? [false, eval(address), value] -> atomic { buffer[_pid] ?? false, eval(address), value; mem[address] = value }

active [2] proctype Stores() {
    bool isRelease;
    byte address, value;
endStores:
    do
    :: buffer[_pid] ? [isRelease, address, value] -> atomic { buffer[_pid] ? isRelease, address, value; mem[address] = value }
    :: early(RESULT)
    :: early(STATE)
    od
}

inline exchangeWait(side, mine, result) {
    atomic { fence(side); result = word; if :: word == 0 -> word = mine :: else fi }
}

inline giveUpUse(side) {
    atomic { fence(side); uses--; if :: uses == 0 -> freed = true :: else fi } /* a late use may find 0 again: SharedMap._isFreed frees once */
}

/* The side that ends, completes the wait, and owns the memory. */
active proctype Ending() {
    byte found, seen;
    release(0, ENDED, 1);
#ifndef NO_FENCE_END
    fence(0);
#endif
    if :: mem[STARTED] == 0 -> missed++ :: else fi;

#ifdef NO_ACQUIRE_WAIT
    seen = mem[STATE];
#endif
#ifdef NO_RELEASE_WAIT
    atomic { found = word; if :: word == 0 -> word = 2 :: else fi };
    put(0, RESULT, 1);
#else
    put(0, RESULT, 1);
    exchangeWait(0, 2, found);
#endif
    if
    :: found == 1 ->
#ifndef NO_ACQUIRE_WAIT
        seen = mem[STATE];
#endif
        assert(seen == 1);
        continued++
    :: else
    fi;

    release(0, CLOSED, 1);
    giveUpUse(0);
    done++
}

/* The side that starts, waits, and uses the memory. */
active proctype Starting() {
    byte found, isClosed;
    release(1, STARTED, 1);
#ifndef NO_FENCE_START
    fence(1);
#endif
    if :: mem[ENDED] == 0 -> missed++ :: else fi;

#ifdef NO_RELEASE_STATE
    atomic { found = word; if :: word == 0 -> word = 1 :: else fi };
    put(1, STATE, 1);
#else
    put(1, STATE, 1);
    exchangeWait(1, 1, found);
#endif
    if
    :: found == 2 -> assert(mem[RESULT] == 1); continued++
    :: else
    fi;

#ifdef NO_COUNT_FIRST
    isClosed = mem[CLOSED];
    atomic { fence(1); uses++ };
#else
    atomic { fence(1); uses++ };
    isClosed = mem[CLOSED];
#endif
    if
    :: isClosed == 0 -> assert(!freed)
    :: else
    fi;
    giveUpUse(1);
    done++
}

active proctype Check() {
    done == 2 -> assert(missed < 2); assert(continued == 1); assert(freed)
}
