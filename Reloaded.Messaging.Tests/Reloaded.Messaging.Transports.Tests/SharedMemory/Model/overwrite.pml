/*
 * A shared ring that overwrites its oldest item: a sequence in front of each item tells a reader that the item changed under it.
 * An item has two words. Checked: both words of an item that was read are of the same item, and it is the one that was expected.
 *
 * The stores of the writer go through a buffer, as in ring.pml: put() is a plain store, and leaves before or after all others. release() leaves
 * after all earlier stores. A plain load is made at any time between the acquire before it and the barrier after it: here, in both orders.
 *   NO_BARRIER_WRITE: the item may be visible before the odd sequence.
 *   NO_RELEASE_WRITE: the even sequence and the tail may be visible before the item. One release of the two would suffice.
 *   NO_BARRIER_READ: the reader may look at the sequence again before it has read the item.
 */
#define CAP 2
#ifndef ITEMS
#define ITEMS 5
#endif
#define SEQUENCE(i) ((i) % CAP)
#define FIRST(i) (CAP + (i) % CAP)
#define SECOND(i) (2 * CAP + (i) % CAP)
#define TAIL (3 * CAP)
byte mem[3 * CAP + 1];
chan buffer = [5] of { bool, byte, byte };  /* is it a release, the address, the value */

#define put(address, value) buffer ! false, address, value
#define release(address, value) buffer ! true, address, value

active proctype Writer() {
    byte i = 0;
    do
    :: i == ITEMS -> break
    :: i < ITEMS ->
        release(SEQUENCE(i), 2 * i + 1);
#ifndef NO_BARRIER_WRITE
        empty(buffer);
#endif
        put(FIRST(i), i + 1);
        put(SECOND(i), i + 1);
#ifdef NO_RELEASE_WRITE
        put(SEQUENCE(i), 2 * i + 2);
#else
        release(SEQUENCE(i), 2 * i + 2);
#endif
#ifdef NO_RELEASE_WRITE
        put(TAIL, i + 1);
#else
        release(TAIL, i + 1);
#endif
        i++
    od
}

#define early(address) buffer ?? [false, eval(address), value] -> atomic { buffer ?? false, eval(address), value; mem[address] = value }

active proctype Stores() {
    bool isRelease;
    byte address, value;
endStores:
    do
    :: buffer ? [isRelease, address, value] -> atomic { buffer ? isRelease, address, value; mem[address] = value }
    :: early(SEQUENCE(0))
    :: early(SEQUENCE(1))
    :: early(FIRST(0))
    :: early(FIRST(1))
    :: early(SECOND(0))
    :: early(SECOND(1))
    :: early(TAIL)
    od
}

inline readItem() {
    if
    :: true -> a = mem[FIRST(head)]; b = mem[SECOND(head)]
    :: true -> b = mem[SECOND(head)]; a = mem[FIRST(head)]
    fi
}

active proctype Reader() {
    byte head = 0, end, before, after, a, b;
    do
    ::  end = mem[TAIL];
        if
        :: end == head -> if :: end == ITEMS -> break :: else fi
        :: else ->
            if :: end - head > CAP -> head = end - CAP + 1 :: else fi;
            before = mem[SEQUENCE(head)];
#ifdef NO_BARRIER_READ
            after = mem[SEQUENCE(head)];
            readItem();
#else
            readItem();
            after = mem[SEQUENCE(head)];
#endif
            if
            :: before == 2 * head + 2 && after == before ->
                assert(a == head + 1 && b == head + 1)
            :: else         /* overwritten: skipped and counted */
            fi;
            head++
        fi
    od
}
