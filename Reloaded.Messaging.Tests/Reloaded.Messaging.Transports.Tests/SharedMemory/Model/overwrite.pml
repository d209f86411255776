/*
 * A shared ring that overwrites its oldest item: a sequence in front of each item tells a reader that the item changed under it.
 * An item has two words. Checked: both words of an item that was read are of the same item, and it is the one that was expected.
 *
 * Stores of the writer become visible in any order that its barriers allow; here each order is one that the writer makes.
 *   NO_BARRIER_WRITE: the item's first word may be visible before the odd sequence.
 *   NO_RELEASE_WRITE: the even sequence and the tail may be visible before the item's second word.
 *   NO_BARRIER_READ: the reader may look at the sequence again before it has read the item.
 */
#define CAP 2
#define ITEMS 6
byte sequence[CAP], first[CAP], second[CAP];
byte tail;

active proctype Writer() {
    byte i = 0;
    do
    :: i == ITEMS -> break
    :: i < ITEMS ->
#ifdef NO_BARRIER_WRITE
        first[i % CAP] = i + 1;
        sequence[i % CAP] = 2 * i + 1;
#else
        sequence[i % CAP] = 2 * i + 1;
        first[i % CAP] = i + 1;
#endif
#ifdef NO_RELEASE_WRITE
        sequence[i % CAP] = 2 * i + 2;
        tail = i + 1;
        second[i % CAP] = i + 1;
#else
        second[i % CAP] = i + 1;
        sequence[i % CAP] = 2 * i + 2;
        tail = i + 1;
#endif
        i++
    od
}

active proctype Reader() {
    byte head = 0, end, before, after, a, b;
    do
    ::  end = tail;
        if
        :: end == head -> if :: end == ITEMS -> break :: else fi
        :: else ->
            if :: end - head > CAP -> head = end - CAP + 1 :: else fi;
            before = sequence[head % CAP];
#ifdef NO_BARRIER_READ
            after = sequence[head % CAP];
            a = first[head % CAP];
            b = second[head % CAP];
#else
            a = first[head % CAP];
            b = second[head % CAP];
            after = sequence[head % CAP];
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
