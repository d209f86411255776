/*
 * The ring of a connection with its sleep and wake-up, and with a death of either side at any step.
 *
 * Positions count modulo 2*CAP, and an item has two words. Each side's stores go through a buffer and leave it at any later time, as on arm64.
 * put() is a plain store: it leaves before or after all others, except those to the same address. release() is Volatile.Write: all earlier stores
 * have left before, and later ones may leave first. A load is Volatile.Read (acquire), and that of an item follows it. fence() is
 * Interlocked.MemoryBarrier: it waits until the own buffer is empty. Exchange is atomic and empties the buffer too.
 * docs/specification/shared-memory.md names each step. Checked: items arrive whole, in order and once; no side sleeps for ever.
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

#define FIRST(position) (2 * ((position) % CAP)) /* mem[0..2*CAP-1] holds the items */
#define SECOND(position) (FIRST(position) + 1)
#define TAIL (2 * CAP)
#define HEAD (2 * CAP + 1)
#define END (2 * CAP + 2)
#define CONSUMER_SLEEP (2 * CAP + 3) /* followed by the word of the producer: the side that dies indexes the word of the other one */
#define PRODUCER_SLEEP (2 * CAP + 4)
byte mem[2 * CAP + 5];

#define P 0
#define C 1
chan buffer[2] = [4] of { bool, byte, byte }; /* is it a release, the address, the value */
bool asleep[2];             /* in the kernel's queue of the side's word */
bool killed[2];
bool gone[2];               /* the other side has heard of it */

#define put(side, address, value) buffer[side] ! false, address, value
#define release(side, address, value) buffer[side] ! true, address, value
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
                put(P, FIRST(tail), sent + 1);
                put(P, SECOND(tail), sent + 1);
#ifdef NO_RELEASE_TAIL
                put(P, TAIL, (tail + 1) % MOD);
#else
                release(P, TAIL, (tail + 1) % MOD);
#endif
                tail = (tail + 1) % MOD;
                sent++;
#ifndef NO_FENCE_PUBLISH
                fence(P);
#endif
                wake(P, C, CONSUMER_SLEEP)
            :: else ->
                if :: gone[C] -> goto done :: else fi;
                release(P, PRODUCER_SLEEP, 1);
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
                release(P, PRODUCER_SLEEP, 0);
                fence(P)
            fi
        od;
        release(P, END, 1);
        fence(P);
        wake(P, C, CONSUMER_SLEEP);
done:   skip
    } unless { killed[P] }
}

active proctype Consumer() {
    byte tail = 0, head = 0, received = 0, item, rest, ended;
    bool wasSet, isGone;
    {
        do
        ::
#ifdef NO_ACQUIRE_TAIL
            item = mem[FIRST(head)];
            rest = mem[SECOND(head)];
#endif
            tail = mem[TAIL];
            assert(USED(tail, head) <= CAP);
            if
            :: tail != head ->
#ifdef NO_RELEASE_HEAD
                release(C, HEAD, (head + 1) % MOD);
#endif
#ifndef NO_ACQUIRE_TAIL
                item = mem[FIRST(head)];
                rest = mem[SECOND(head)];
#endif
                received++;
                assert(item == received && rest == received);
#ifndef NO_RELEASE_HEAD
                release(C, HEAD, (head + 1) % MOD);
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
                    release(C, CONSUMER_SLEEP, 1);
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
                    release(C, CONSUMER_SLEEP, 0);
                    fence(C)
                fi
            fi
        od;
done:   assert(!ended || received == ITEMS);    /* what was completed has arrived */
        assert(mem[TAIL] == head)               /* and all that a dead side had published */
    } unless { killed[C] }
}

/* The system: stores become visible, sides are killed, and their deaths are told. */
#define early(address) buffer[_pid - 2] ?? [false, eval(address), value] -> \
    atomic { buffer[_pid - 2] ?? false, eval(address), value; mem[address] = value }

active [2] proctype Stores() {
    bool isRelease;
    byte address, value;
endStores:
    do
    :: buffer[_pid - 2] ? [isRelease, address, value] ->
        atomic { buffer[_pid - 2] ? isRelease, address, value; mem[address] = value }
    :: early(0)
    :: early(1)
#if CAP > 1
    :: early(2)
    :: early(3)
#endif
    :: early(TAIL)
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
