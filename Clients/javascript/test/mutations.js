/** The mutated messages that docs/vectors/README.md specifies. */

import { PayloadError, fromHex } from "../node.js";
import { Kind, WireError, readHeader, writeHeader } from "../src/wire.js";
import { SCHEMA, cases } from "./support.js";

/** Makes the messages in order, and judges them. */
export class Mutations {
    #state = 0x2545F491;
    #bases = cases("payloads").filter(one => one.mutated).map(one => [writeHeader({ type: SCHEMA.find(one.message).id }), fromHex(one.bytes)]);
    #known = new Set(this.#bases.map(([header]) => readHeader(header)[0].type));

    next(index) {
        const [header, payload] = this.#bases[index % this.#bases.length];
        const message = [...header, ...payload];
        for (let count = 1 + this.#draw(3); count > 0; count--) {
            let operation = this.#draw(5);
            const start = this.#draw(8) === 0 ? 0 : Math.min(header.length, message.length);
            if (start === message.length)
                operation = 3;
            const position = start + this.#draw(message.length - start + (operation === 3 ? 1 : 0));
            switch (operation) {
                case 0: message[position] ^= 1 << this.#draw(8); break;
                case 1: message[position] = this.#draw(256); break;
                case 2: message.length = position; break;
                case 3: message.splice(position, 0, this.#draw(256)); break;
                default: message.splice(position, 1);
            }
        }
        return Uint8Array.from(message);
    }

    judge(message) {
        try {
            const [header, position] = readHeader(message);
            if (header.kind > Kind.REQUEST)
                return 2;
            if (!this.#known.has(header.type))
                return 3;
            if (header.size !== null)
                return 1;
            SCHEMA.decode(header.type, message.subarray(position));
            return 0;
        } catch (error) {
            if (error instanceof WireError)
                return 1;
            if (error instanceof PayloadError)
                return 4;
            throw error;
        }
    }

    #draw(bound) {
        this.#state ^= this.#state << 13;
        this.#state ^= this.#state >>> 17;
        this.#state ^= this.#state << 5;
        return (this.#state >>> 0) % bound;
    }
}
