/** Reports of the progress of requests, in both roles. The newest report replaces one that waits. The client loads this file with the first of them. */

import { Fault, PayloadError } from "./errors.js";
import { OVERHEAD, enter, framer, readPull } from "./outgoing.js";
import { startPull } from "./streams.js";
import { BLOCK_REPLY, Kind, MAX_SIZE, REPORT, WireError, check, concat, readFrame, readHeader } from "./wire.js";

const [CLOSE, NEXT, OPEN] = [0, 1, 2];
const WAITING = 2; // requests for a report that wait for one

/** The reports of one request of the server, which the server has opened before the request. */
class SentReports {
    #session;
    #waiting = []; // the correlation ids of requests for a report
    #report = [];

    constructor(session) {
        this.#session = session;
    }

    pull(correlation) {
        if (this.#waiting.length >= WAITING)
            throw new Fault(3, `${WAITING} requests for a report wait already.`);
        this.#waiting.push(correlation);
        this.#passOn();
    }

    /** Sends a report, or keeps it until the server requests the next one. Reports after the end are dropped. */
    send(payloads, contract, value) {
        const report = framer(payloads, contract)(value);
        if (report.length > this.#session.largest - OVERHEAD)
            throw new PayloadError(`The report ${contract.name} has ${report.length} bytes; the server accepts at most ${this.#session.largest - OVERHEAD}.`);
        this.#report = report;
        this.#passOn();
    }

    end() {
        while (this.#waiting.length > 0)
            this.#answer(1);
    }

    #passOn() {
        if (this.#report.length > 0 && this.#waiting.length === WAITING) // the last request that waits is for the end
            this.#answer(0);
    }

    #answer(start) {
        answer(this.#session, this.#waiting.shift(), concat([start], this.#report));
        this.#report = [];
    }
}

const answer = (session, correlation, block) => session.connection.send({ type: BLOCK_REPLY, kind: Kind.REPLY, correlation }, block);

/** Answers a request for a report, or lets it wait. */
export function answerReportPull(pull, session, { correlation }) {
    const [number, action] = readPull(pull, session);
    let reports = session.reports.get(number);
    if (action < CLOSE || action > OPEN)
        throw new Fault(3, "A request for a report is invalid.");
    if (!reports && action === OPEN) {
        enter(session);
        session.reports.set(number, reports = new SentReports(session));
    }
    if (reports && action !== CLOSE)
        return reports.pull(correlation);
    session.endReports(number);
    answer(session, correlation, [1]);
}

/** Opens the reports of a request that is about to be sent. `call` gets each report, and can return a promise. Returns a promise of their end, and a function that ends them for a reason. */
export function openReports(session, payloads, request, call) {
    const pulls = [];
    let isOpen = true;
    let fail;
    const left = new Promise((_, reject) => fail = reject);
    const pull = action => pulls.push(startPull(session, REPORT, request.header.correlation, action));
    const close = reason => {
        fail(reason);
        if (isOpen && !session.connection.ended)
            pull(CLOSE);
        isOpen = false;
        for (const one of pulls.splice(0))
            session.requests.remove(one);
    };
    const read = async () => {
        while (isOpen) {
            const [header, payload] = await pulls[0].reply;
            session.requests.remove(pulls.shift());
            if (header.kind === Kind.FAULT)
                break; // the server has no reports, or too many streams
            const isEnd = payload[0] === 1;
            check(header.type === BLOCK_REPLY && header.size === null && (isEnd || payload[0] === 0 && payload.length > 1), "A report of the progress of a request is invalid.");
            if (payload.length > 1) {
                const value = await decode(session, payloads, payload);
                if (isOpen)
                    await call(value);
            }
            if (isEnd)
                break;
            if (isOpen)
                pull(NEXT);
        }
        isOpen = false;
    };
    pull(OPEN);
    pull(OPEN);
    const ended = Promise.race([left, read().catch(error => {
        if (session.connection.ended)
            return; // which ends the request too
        throw error instanceof WireError ? new PayloadError(error.message, { cause: error }) : error;
    })]);
    return { ended, close };
}

async function decode(session, payloads, block) {
    const frame = readFrame(block, 1, MAX_SIZE);
    check(frame && frame[1] === block.length, "A report of the progress of a request is not one whole frame.");
    const [header, position] = readHeader(frame[0]);
    check(header.kind === Kind.EVENT, "A report of the progress of a request is no event.");
    const contract = payloads.schema.find(header.type);
    session.contracts.check(contract);
    return payloads.schema.decode(contract.id, await payloads.expand(contract, frame[0].subarray(position), header.size));
}
