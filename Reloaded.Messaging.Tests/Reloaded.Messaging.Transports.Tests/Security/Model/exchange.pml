/*
 * The key exchange of docs/specification/wire-format.md: two runs of clients, two runs of one server, and an attacker that has the network. The
 * attacker opens sessions, and alters, repeats, reflects and reorders all messages. It cannot invert a hash, and it computes a tag or a key only from
 * the token and a private key. With HOLDER it has the token, as each player has, and not the private key of the server.
 *
 * Checked: a client that accepts an answer agrees with a run of the server about mode, both ephemeral keys and the key of the server. Without HOLDER,
 * a run of the server answers only an offer that a client sent with this carrier, and it trusts only a client that agrees with it.
 * NO_PSK, NO_KEY, NO_MODE, NO_CARRIER, NO_EC and NO_ES each leave one input out of the transcript. NO_KIND uses one tag for offers and answers,
 * NO_DIRECTION one key for both directions, and NO_PACKET trusts a client before its first packet.
 */
#define ATTACKER 5          /* an ephemeral key of the attacker; clients have 1 and 2, runs of the server 3 and 4 */
#define SERVER_MODE 1

#ifdef NO_PSK
#define pskKnown true
#else
#ifdef HOLDER
#define pskKnown true
#else
#define pskKnown false
#endif
#endif
#ifdef NO_KEY
#define esKnown(ec) true
#else
#define esKnown(ec) (ec == ATTACKER)
#endif
#ifdef NO_MODE
#define sameMode(a, b) true
#else
#define sameMode(a, b) (a == b)
#endif
#ifdef NO_CARRIER
#define sameCarrier(a, b) true
#else
#define sameCarrier(a, b) (a == b)
#endif
#ifdef NO_EC
#define sameEc(a, b) true
#else
#define sameEc(a, b) (a == b)
#endif
#ifdef NO_ES
#define sameEs(a, b) true
#else
#define sameEs(a, b) (a == b)
#endif

/* The keys and tags of a transcript: the attacker needs the token, a private key for ee, and one for es. */
#define computes(ec, es) (pskKnown && (ec == ATTACKER || es == ATTACKER) && esKnown(ec))

byte modeOf[2], answeredEs[2], clientState[2];                 /* a client: 1 has sent its offer, 2 has accepted an answer */
byte serverMode[2], serverEc[2], serverCarrier[2], serverState[2]; /* a run of the server: 1 has answered, 2 trusts the client */

#define client(i) (i + 1)
#define run(j) (j + 3)
#define carrierOf(i) (i + 1)

/* Whether the attacker has the MAC of an offer: it computes it, or a client sent it. */
#define sent(i, mode, carrier, ec) (clientState[i] > 0 && sameMode(mode, modeOf[i]) && sameCarrier(carrier, carrierOf(i)) && sameEc(ec, client(i)))
#define hasMac(mode, carrier, ec) (pskKnown || sent(0, mode, carrier, ec) || sent(1, mode, carrier, ec))

/* Whether the attacker has the tag of an answer: it computes it, or a run of the server sent it, or it is the tag of an offer. */
#define answered(j, mode, ec, es) (serverState[j] > 0 && sameMode(mode, serverMode[j]) && sameEc(ec, serverEc[j]) && sameEs(es, run(j)))
#ifdef NO_KIND
#define reflected(i, mode, ec, es) (clientState[i] > 0 && sameMode(mode, modeOf[i]) && ec == client(i) && es == client(i))
#else
#define reflected(i, mode, ec, es) false
#endif
#define hasTag(i, mode, ec, es) (computes(ec, es) || answered(0, mode, ec, es) || answered(1, mode, ec, es) || reflected(i, mode, ec, es))

/* Whether the attacker has a packet to the server under the keys of a transcript. */
#define packet(i, mode, ec, es) (clientState[i] == 2 && sameMode(mode, modeOf[i]) && sameEc(ec, client(i)) && sameEs(es, answeredEs[i]))
#ifdef NO_DIRECTION
#define returned(j, mode, ec, es) (serverState[j] > 0 && answered(j, mode, ec, es))
#else
#define returned(j, mode, ec, es) false
#endif
#ifdef NO_PACKET
#define hasPacket(j, mode, ec, es) true
#else
#define hasPacket(j, mode, ec, es) (computes(ec, es) || packet(0, mode, ec, es) || packet(1, mode, ec, es) || returned(j, mode, ec, es))
#endif

#define agrees(i, j) (modeOf[i] == serverMode[j] && serverEc[j] == client(i))
#define isOffer(i, j) (clientState[i] > 0 && agrees(i, j) && serverCarrier[j] == carrierOf(i))
#define isPeer(i, j) (clientState[i] == 2 && agrees(i, j) && serverCarrier[j] == carrierOf(i) && answeredEs[i] == run(j))

active proctype Network() {
    byte i, ec, es, carrier;
    modeOf[1] = SERVER_MODE; /* the client 0 has another mode */
endNetwork:
    do
    :: select(i : 0 .. 1);
        if
        :: clientState[i] == 0 -> clientState[i] = 1
        :: else
        fi
    :: select(i : 0 .. 1); /* an offer to a run of the server, which refuses an offer with another mode */
        select(carrier : 1 .. 3);
        if :: ec = 1 :: ec = 2 :: ec = ATTACKER fi;
        if
        :: serverState[i] == 0 && hasMac(SERVER_MODE, carrier, ec) ->
            serverMode[i] = SERVER_MODE;
            serverEc[i] = ec;
            serverCarrier[i] = carrier;
            serverState[i] = 1;
#ifndef HOLDER
            assert(isOffer(0, i) || isOffer(1, i))
#endif
        :: else
        fi
    :: select(i : 0 .. 1); /* an answer to a client, which refuses an answer with another mode */
        select(es : 1 .. 5);
        if
        :: clientState[i] == 1 && hasTag(i, modeOf[i], client(i), es) ->
            answeredEs[i] = es;
            clientState[i] = 2;
            assert((es == run(0) && serverState[0] > 0 && agrees(i, 0)) || (es == run(1) && serverState[1] > 0 && agrees(i, 1)))
        :: else
        fi
    :: select(i : 0 .. 1); /* a packet to a run of the server */
        if
        :: serverState[i] == 1 && hasPacket(i, serverMode[i], serverEc[i], run(i)) ->
            serverState[i] = 2;
#ifndef HOLDER
            assert(isPeer(0, i) || isPeer(1, i))
#endif
        :: else
        fi
    od
}
