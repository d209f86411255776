/*
 * The ring of a connection with its sleep and wake-up, and with a death of either side at any step.
 *
 * Positions count modulo 2*CAP. Each side's stores go through a buffer that empties at any later time, in order: what Volatile.Write (release)
 * and Volatile.Read (acquire) allow. fence() is Interlocked.MemoryBarrier: it waits until the own buffer is empty. Exchange is atomic and
 * empties the buffer too. docs/shared-memory.md names each step. Checked: items arrive whole, in order and once; no side sleeps for ever.
 *
 * Each of these macros removes one step. Spin must find an error then (see check).
 *   NO_RELEASE_TAIL NO_ACQUIRE_TAIL NO_RELEASE_HEAD NO_FENCE_PUBLISH NO_FENCE_FREE NO_FENCE_SLEEP NO_RECHECK NO_FINAL_LOOK NO_DEATH_NOTICE
 * WAKE_IF_SET replaces one: the notice of a death wakes only a side whose word says that it sleeps.
 */
#ifndef CAP
#define CAP 2
#endif
#ifndef ITEMS
#define ITEMS 4
#endif
#define MOD (2 * CAP)
#define USED(tail, head) ((tail + MOD - head) % MOD)

#define TAIL CAP            /* mem[0..CAP-1] holds the items */
#define HEAD (CAP + 1)
#define END (CAP + 2)
#define CONSUMER_SLEEP (CAP + 3) /* followed by the word of the producer: the side that dies indexes the word of the other one */
#define PRODUCER_SLEEP (CAP + 4)
byte mem[CAP + 5];

#define P 0
#define C 1
chan buffer[2] = [3] of { byte, byte };
bool asleep[2];             /* in the kernel's queue of the side's word */
bool killed[2];
bool gone[2];               /* the other side has heard of it */

#define store(side, address, value) buffer[side] ! address, value
#define fence(side) (empty(buffer[side]))

inline futexWait(side, address) {
    atomic { if :: mem[address] == 1 -> asleep[side] = true :: else fi };
    !asleep[side]
}

/* Exchange the other side's word for 0; wake it if it was not 0. */
inline wake(me, other, address) {
    if
    :: mem[address] != 0 ->
        atomic { empty(buffer[me]); wasSet = mem[address] != 0; mem[address] = 0 };
        if :: wasSet -> asleep[other] = false :: else fi
    :: else
    fi
}

active proctype Producer() {
    byte tail = 0, head = 0, sent = 0;
    bool wasSet;
    {
        do
        :: sent == ITEMS -> break
        :: sent < ITEMS ->
            head = mem[HEAD];
            assert(USED(tail, head) <= CAP);
            if
            :: USED(tail, head) < CAP ->
#ifdef NO_RELEASE_TAIL
                store(P, TAIL, (tail + 1) % MOD);
                store(P, tail % CAP, sent + 1);
#else
                store(P, tail % CAP, sent + 1);
                store(P, TAIL, (tail + 1) % MOD);
#endif
                tail = (tail + 1) % MOD;
                sent++;
#ifndef NO_FENCE_PUBLISH
                fence(P);
#endif
                wake(P, C, CONSUMER_SLEEP)
            :: else ->
                if :: gone[C] -> goto done :: else fi;
                store(P, PRODUCER_SLEEP, 1);
#ifndef NO_FENCE_SLEEP
                fence(P);
#endif
#ifndef NO_RECHECK
                if
                :: USED(tail, mem[HEAD]) == CAP && !gone[C] -> futexWait(P, PRODUCER_SLEEP)
                :: else
                fi;
#else
                futexWait(P, PRODUCER_SLEEP);
#endif
                store(P, PRODUCER_SLEEP, 0);
                fence(P)
            fi
        od;
        store(P, END, 1);
        fence(P);
        wake(P, C, CONSUMER_SLEEP);
done:   skip
    } unless { killed[P] }
}

active proctype Consumer() {
    byte tail = 0, head = 0, received = 0, item, ended;
    bool wasSet, isGone;
    {
        do
        ::
#ifdef NO_ACQUIRE_TAIL
            item = mem[head % CAP];
#endif
            tail = mem[TAIL];
            assert(USED(tail, head) <= CAP);
            if
            :: tail != head ->
#ifdef NO_RELEASE_HEAD
                store(C, HEAD, (head + 1) % MOD);
#endif
#ifndef NO_ACQUIRE_TAIL
                item = mem[head % CAP];
#endif
                received++;
                assert(item == received);
#ifndef NO_RELEASE_HEAD
                store(C, HEAD, (head + 1) % MOD);
#endif
                head = (head + 1) % MOD;
#ifndef NO_FENCE_FREE
                fence(C);
#endif
                wake(C, P, PRODUCER_SLEEP)
            :: else ->
                ended = mem[END];
                isGone = gone[P];
                if
                :: ended || isGone ->
#ifndef NO_FINAL_LOOK
                    if :: mem[TAIL] == head -> goto done :: else fi
#else
                    goto done
#endif
                :: else ->
                    store(C, CONSUMER_SLEEP, 1);
#ifndef NO_FENCE_SLEEP
                    fence(C);
#endif
#ifndef NO_RECHECK
                    if
                    :: mem[TAIL] == head && !mem[END] && !gone[P] -> futexWait(C, CONSUMER_SLEEP)
                    :: else
                    fi;
#else
                    futexWait(C, CONSUMER_SLEEP);
#endif
                    store(C, CONSUMER_SLEEP, 0);
                    fence(C)
                fi
            fi
        od;
done:   assert(!ended || received == ITEMS);    /* what was completed has arrived */
        assert(mem[TAIL] == head)               /* and all that a dead side had published */
    } unless { killed[C] }
}

/* The system: stores become visible, sides are killed, and their deaths are told. */
active [2] proctype Stores() {
    byte address, value;
endStores:
    do
    :: buffer[_pid - 2] ? [address, value] ->
        atomic { buffer[_pid - 2] ? address, value; mem[address] = value }
    od
}

active [2] proctype Killer() {
    byte side;
    bool wasSet;
    side = _pid - 4;
endKiller:
    if
    :: true -> killed[side] = true; asleep[side] = false;
        empty(buffer[side]);
        gone[side] = true;
#ifndef NO_DEATH_NOTICE
        /* On a thread of the side that lives. Whatever its word says: the dead side may have cleared it and then not woken it. */
        atomic {
            wasSet = mem[CONSUMER_SLEEP + side] != 0;
            mem[CONSUMER_SLEEP + side] = 0
        };
        if
#ifdef WAKE_IF_SET
        :: wasSet -> asleep[1 - side] = false
        :: else
#else
        :: true -> asleep[1 - side] = false
#endif
        fi
#endif
    :: true -> skip
    fi
}
