import { Client, ConnectionError, Fault, Schema, fromHex } from "./client/index.js";

const [MIN_SPAN, MAX_SPAN] = [10_000, 60_000]; // milliseconds that the plot shows
const byId = id => document.getElementById(id);
const number = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const fragment = new URLSearchParams(location.hash.slice(1));

/** The points of the plot: a time, and messages per second. */
const points = [];
/** The rows of the tables, by the key of what they show. */
const rows = { mods: new Map(), peers: new Map() };

function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

/** Sets a text. Screen readers and the selection are disturbed only by a text that differs. */
function setText(target, text) {
    if (target.textContent !== text)
        target.textContent = text;
}

function showConnection(state, text) {
    byId("connection").dataset.state = state;
    setText(byId("connection"), text);
}

/** Shows one row for each item. Rows that stay keep the focus. */
function showRows(table, items, keyOf, make) {
    const body = byId(table).tBodies[0];
    const kept = new Set(items.map(keyOf));
    for (const [key, row] of rows[table]) {
        if (!kept.has(key)) {
            row.element.remove();
            rows[table].delete(key);
        }
    }
    items.forEach((item, i) => {
        const key = keyOf(item);
        if (!rows[table].has(key))
            rows[table].set(key, make(item));
        const row = rows[table].get(key);
        if (body.children[i] !== row.element)
            body.insertBefore(row.element, body.children[i] ?? null);
        row.update(item);
    });
}

function makeMod(mod) {
    const state = element("span", { className: "state" });
    const [rate, sent, button] = [element("td", { className: "number" }), element("td", { className: "number wide" }), element("button", { type: "button" })];
    let shown = mod;
    button.onclick = () => setMod(shown, button);
    return {
        element: element("tr", {},
            element("th", { scope: "row" }, mod.Name, element("small", {}, `Version ${mod.Version}`)), element("td", { className: "wide" }, mod.Author),
            element("td", {}, state), rate, sent, element("td", {}, button)),
        update(now) {
            shown = now;
            state.dataset.runs = now.IsRunning;
            setText(state, now.IsRunning ? "running" : "suspended");
            setText(rate, number.format(now.Rate));
            setText(sent, number.format(now.Sent));
            setText(button, now.IsRunning ? "Suspend" : "Resume");
            button.setAttribute("aria-label", `${now.IsRunning ? "Suspend" : "Resume"} ${now.Name}`);
        },
    };
}

function makePeer(peer) {
    const time = element("td", { className: "number" });
    return {
        element: element("tr", {},
            element("th", { scope: "row" }, peer.Name, element("small", { className: "narrow" }, peer.Address)), element("td", { className: "wide" }, peer.Address), time),
        update: now => setText(time, `${now.RoundTripMilliseconds.toFixed(2)} ms`),
    };
}

async function setMod(mod, button) {
    if (button.ariaDisabled === "true")
        return;
    button.ariaDisabled = "true"; // a button that is disabled would lose the focus
    try {
        const now = await game.request("SetMod", { Id: mod.Id, Runs: !mod.IsRunning });
        rows.mods.get(mod.Id)?.update(now);
        setText(byId("failure"), "");
    } catch (error) {
        setText(byId("failure"), `${mod.Name} was not changed: ${error instanceof Fault ? error.text : error.message}`);
    } finally {
        button.ariaDisabled = "false";
    }
}

function show(status) {
    const now = Date.now();
    points.push([now, status.MessagesPerSecond]);
    while (points[0][0] < now - MAX_SPAN - 1000)
        points.shift();
    setText(byId("rate"), number.format(status.MessagesPerSecond));
    setText(byId("running"), `${status.Mods.filter(mod => mod.IsRunning).length} of ${status.Mods.length}`);
    setText(byId("count"), number.format(status.Peers.length));
    setText(byId("frame"), number.format(status.Frame));
    showRows("mods", status.Mods, mod => mod.Id, makeMod);
    showRows("peers", status.Peers, peer => `${peer.Name} ${peer.Address}`, makePeer);
    drawPlot(now);
}

function drawPlot(now) {
    const [width, height, most] = [600, 180, Math.max(...points.map(([, rate]) => rate), 1)];
    const step = 10 ** Math.floor(Math.log10(most));
    const top = Math.ceil(1.1 * most / step) * step;
    const span = Math.min(Math.max(now - points[0][0], MIN_SPAN), MAX_SPAN);
    const x = time => (width * (time - now + span) / span).toFixed(1);
    const y = rate => (height - height * rate / top).toFixed(1);
    const curve = points.map(([time, rate]) => `${x(time)},${y(rate)}`).join(" ");
    const make = (name, attributes) => {
        const made = document.createElementNS("http://www.w3.org/2000/svg", name);
        Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
        return made;
    };
    byId("plot").replaceChildren(
        ...[0.25, 0.5, 0.75].map(part => make("line", { x1: 0, x2: width, y1: height * part, y2: height * part })),
        make("polygon", { class: "area", points: `${x(points[0][0])},${height} ${curve} ${width},${height}` }),
        make("polyline", { class: "curve", points: curve }));
    byId("plot").setAttribute("aria-label", `Messages per second: now ${number.format(points.at(-1)[1])}, at most ${number.format(most)} in the last ${number.format(span / 1000)} s`);
    setText(byId("span"), `${number.format(span / 1000)} s ago`);
    setText(byId("scale"), `scale: 0 to ${number.format(top)}`);
}

const schema = await Schema.load("contracts.schema.json");
const game = new Client(`ws://127.0.0.1:${fragment.get("port")}/`, schema, { token: fromHex(fragment.get("token") ?? ""), reconnect: true });
game.on("GameStatus", show);
let wasConnected = false;
game.connected = () => {
    wasConnected = true;
    showConnection("connected", "Connected");
};
game.disconnected = reason => showConnection("lost", `Connection lost (${reason}). Reconnecting…`);
game.failed = () => { // a failed attempt to connect, which is repeated
    if (!wasConnected)
        showConnection("lost", "The game was not reached. Start it, and open the address that it prints.");
};
try {
    await game.connect();
} catch (error) {
    if (!(error instanceof ConnectionError))
        throw error;
    showConnection("lost", error.reason === "WrongToken" ? "The token of this address is wrong. Open the address that the game has printed." : error.message);
}
