/** How the layouts of two sides differ. The client loads this file when a layout of the server is another text than its own. */

import { Code, MEMBERS, NAME, SIMPLE, cleanName, describe, divide, numberOf } from "./lines.js";

export { Layouts } from "./lines.js";

const KINDS = { o: "not version-tolerant", n: "version-tolerant", u: "a union" };
const USE_ANOTHER_NUMBER = "; for a renamed field, set FormerName of its [MessageField], and give another field an unused number";
const KEEP_FORMER_NAME = "; for a renamed member, keep the former name as a second member with the same number";

/**
 * Compares layouts of two sides. A difference is `{ path, here, there }`: the path of the field, and a clause as this side and as the other side sees it.
 * The number of lines limits the work, whatever the other side sends.
 */
export class Comparison {
    #ours;
    #theirs;
    #equal = new Set(); // pairs of lines that are equal with all lines that they reach
    #seen = new Set();
    #steps = []; // pairs of lines to compare; parent is the index of the step that contains this message, -1 for the contract itself
    #current = 0;

    constructor(ours, theirs) {
        this.#ours = ours;
        this.#theirs = theirs;
    }

    /** Returns the first difference between two lines and the messages inside them; null if each side can read the other, or if a line is not known. */
    find(ourLine, theirLine) {
        [this.#steps, this.#seen] = [[], new Set()];
        this.#push(ourLine, theirLine, -1, "");
        for (this.#current = 0; this.#current < this.#steps.length; this.#current++) {
            // Honest sides have one pair for each line of this side, or a few more where two messages share an id.
            if (this.#current > this.#ours.count + this.#theirs.count)
                return this.#differ("", `the layout of ${this.#path()}`, "finite", "without an end");
            const difference = this.#compareLines(this.#steps[this.#current]);
            if (difference)
                return difference;
        }
        this.#seen.forEach(pair => this.#equal.add(pair));
        return null;
    }

    #push(ours, theirs, parent, via) {
        const pair = `${ours} ${theirs}`;
        if (this.#equal.has(pair) || this.#seen.has(pair))
            return;
        this.#seen.add(pair);
        this.#steps.push({ ours, theirs, parent, via });
    }

    #compareLines({ ours, theirs, parent }) {
        const [here, there] = [this.#ours.line(ours), this.#theirs.line(theirs)];
        if (here === null || there === null)
            return null;
        if (here.version !== there.version && parent >= 0) // the versions of the contract itself were compared before
            return this.#differ("", `the version of ${here.name} in ${this.#path()}`, here.version, there.version);
        if (here.kind !== there.kind)
            return this.#differ("", this.#path(), KINDS[here.kind], KINDS[there.kind]);
        return here.kind === "o" ? this.#compareByPlace(here.fields, there.fields) : this.#compareByNumber(here.fields, there.fields, here.kind === "u");
    }

    #compareByPlace(here, there) {
        for (let i = 0; i < here.length && i < there.length; i++) {
            const [[ourName, ourCode], [theirName, theirCode]] = [divide(here[i], " "), divide(there[i], " ")];
            if (ourName !== theirName)
                return this.#differInName(`field ${i + 1}`, ourName, ourCode, theirName, theirCode);
            const difference = this.#compareField(`.${ourName}`, ourCode, theirCode);
            if (difference)
                return difference;
        }
        return null;
    }

    #compareByNumber(here, there, isUnion) {
        const theirs = new Map(there.map(field => divide(field, " ")));
        for (const [number, rest] of here.map(field => divide(field, " "))) {
            if (!theirs.has(number))
                continue;
            let [path, ourCode, theirCode] = [`<${number}>`, rest, theirs.get(number)];
            if (!isUnion) {
                let ourNames, theirNames;
                [[ourNames, ourCode], [theirNames, theirCode]] = [divide(ourCode, " "), divide(theirCode, " ")];
                const [[ourName, ourFormer], [theirName, theirFormer]] = [divide(ourNames, "="), divide(theirNames, "=")];
                if (ourName !== theirName && ourName !== theirFormer && ourFormer !== theirName && (ourFormer === "" || ourFormer !== theirFormer))
                    return this.#differInName(`field ${number}`, ourName, ourCode, theirName, theirCode, USE_ANOTHER_NUMBER);
                path = `.${ourName}`;
            }
            const difference = this.#compareField(path, ourCode, theirCode);
            if (difference)
                return difference;
        }
        return null;
    }

    #compareField(path, ourCode, theirCode) {
        if (ourCode === theirCode && !/[@=]/.test(ourCode))
            return null;
        const codes = new Codes(ourCode, theirCode);
        return this.#compare(codes, path) ?? (codes.areEmpty ? null : this.#differInType(path, ourCode, theirCode));
    }

    /** Compares two types, and takes them from the codes. */
    #compare(codes, path) {
        const [start, sign] = [codes.position, codes.next];
        const differ = () => this.#differInType(path, ...codes.since(start));
        switch (sign) {
            case "(":
                return this.#compareItems(codes, path);
            case "?":
                codes.skip(sign);
                return this.#compare(codes, path);
            case "[":
            case "{":
                codes.skip(sign);
                for (const [inside, end] of sign === "[" ? [["[]", "]"]] : [["[key]", ":"], ["[]", "}"]]) {
                    const difference = this.#compare(codes, path + inside) ?? (codes.skip(end) ? null : differ());
                    if (difference)
                        return difference;
                }
                return null;
            case "@": {
                codes.skip(sign);
                const [ourLine, theirLine] = codes.take(SIMPLE).map(numberOf);
                const [here, there] = [this.#ours.line(ourLine), this.#theirs.line(theirLine)];
                if (here === null || there === null)
                    return null;
                if (here.id !== there.id)
                    return differ();
                this.#push(ourLine, theirLine, this.#current, path);
                return null;
            }
            default: {
                const [ourType, theirType] = codes.take(SIMPLE);
                if (ourType !== theirType || ourType === "")
                    return differ();
                const [ourMembers, theirMembers] = codes.take(MEMBERS, 1);
                return this.#compareMembers(this.#ours.members(ourMembers), this.#theirs.members(theirMembers), path);
            }
        }
    }

    /** Compares the fields of a struct or the items of a tuple. A field may be `_x` in one program and a property `X` in the other one. Items of tuples can have no name. */
    #compareItems(codes, path) {
        const start = codes.position;
        codes.skip("(");
        for (let place = 1; ; place++) {
            const [ourName, theirName] = codes.take(NAME, 1);
            if (ourName !== "" && theirName !== "" && fold(ourName) !== fold(theirName))
                return this.#differ(path, `item ${place} of ${this.#path()}${path}`, ourName, cleanName(theirName));
            const difference = this.#compare(codes, ourName === "" ? path : `${path}.${ourName}`);
            if (difference)
                return difference;
            if (codes.skip(")"))
                return null;
            if (!codes.skip(",") && !codes.skip(":"))
                return this.#differInType(path, ...codes.since(start));
        }
    }

    /** Compares the members of an enum. Members may be added. A number and an enum are the same bytes. */
    #compareMembers(here, there, path) {
        if (here === "" || there === "" || here === there)
            return null;
        const [ourMembers, theirMembers] = [membersOf(here), membersOf(there)];
        const numbers = new Map(theirMembers);
        const names = new Map(theirMembers.map(([name, number]) => [number, name]).reverse());
        for (const [name, number] of ourMembers) {
            if ((numbers.get(name) ?? number) !== number)
                return this.#differ(path, `the member ${name} of ${this.#path()}${path}`, number, cleanName(numbers.get(name)));
        }
        const common = new Set(ourMembers.filter(([name]) => numbers.has(name)).map(([, number]) => number));
        for (const [name, number] of ourMembers) {
            if (names.has(number) && !common.has(number))
                return this.#differ(path, `the number ${number} of ${this.#path()}${path}`, name, cleanName(names.get(number)), KEEP_FORMER_NAME);
        }
        return null;
    }

    #differInName(field, ourName, ourCode, theirName, theirCode, advice) {
        const text = (name, code, layouts) => `${cleanName(name)} (${describe(code, layouts)})`;
        return this.#differ(`.${ourName}`, `${field} of ${this.#path()}`, text(ourName, ourCode, this.#ours), text(theirName, theirCode, this.#theirs), advice);
    }

    #differInType(path, ourCode, theirCode) {
        return this.#differ(path, this.#path() + path, describe(ourCode, this.#ours), describe(theirCode, this.#theirs));
    }

    #differ(path, subject, ours, theirs, advice = "") {
        return { path: this.#path() + path, here: `${subject} is ${ours} here and ${theirs} there${advice}`, there: `${subject} is ${theirs} here and ${ours} there${advice}` };
    }

    /** The path of the line that is compared, from the name of the contract. */
    #path() {
        const parts = [];
        let step = this.#steps[this.#current];
        for (; step.parent >= 0; step = this.#steps[step.parent])
            parts.push(step.via);
        return (this.#ours.line(step.ours)?.name ?? "") + parts.reverse().join("");
    }
}

/** The types of a field on both sides, as far as they were not yet compared. */
class Codes {
    #ours;
    #theirs;

    constructor(ours, theirs) {
        this.#ours = new Code(ours);
        this.#theirs = new Code(theirs);
    }

    get position() {
        return [this.#ours.at, this.#theirs.at];
    }

    get areEmpty() {
        return this.#ours.isEmpty && this.#theirs.isEmpty;
    }

    /** The sign with which both types begin; empty for different signs and for a letter or a digit. */
    get next() {
        const sign = this.#ours.next;
        return sign === this.#theirs.next && !/^[A-Za-z0-9]$/.test(sign) ? sign : "";
    }

    since([ours, theirs]) {
        return [this.#ours.text.slice(ours), this.#theirs.text.slice(theirs)];
    }

    skip(sign) {
        if (this.next !== sign || sign === "")
            return false;
        this.#ours.at++;
        this.#theirs.at++;
        return true;
    }

    take(pattern, group) {
        return [this.#ours.take(pattern, group), this.#theirs.take(pattern, group)];
    }
}

/** A name without its case, character by character, and without the signs _ at its start. */
function fold(name) {
    return [...name.replace(/^_+/, "")].map(one => one.toUpperCase().length === one.length ? one.toUpperCase() : one).join("");
}

/** The members of an enum in the order of their names, so that both sides name the same member first. */
function membersOf(text) {
    const members = text.split(",").filter(one => one.indexOf("=") > 0).map(one => divide(one, "="));
    return members.sort(([one], [other]) => one < other ? -1 : one > other ? 1 : 0);
}
