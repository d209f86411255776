/** Waits: for a change, and for a promise that a signal can leave. */

/** Callers that wait for a change. */
export class Waiters {
    #resolves = [];

    get areNone() {
        return this.#resolves.length === 0;
    }

    /** Resolves at the next change. */
    wait() {
        return new Promise(resolve => this.#resolves.push(resolve));
    }

    /** Lets all callers that wait now check again. */
    wake() {
        for (const resolve of this.#resolves.splice(0))
            resolve();
    }
}

/** Returns a promise that rejects when a signal is aborted. */
export async function abortable(promise, signal) {
    if (!signal)
        return promise;
    signal.throwIfAborted();
    let abort;
    try {
        return await Promise.race([promise, new Promise((_, reject) => signal.addEventListener("abort", abort = () => reject(signal.reason)))]);
    } finally {
        signal.removeEventListener("abort", abort);
    }
}
