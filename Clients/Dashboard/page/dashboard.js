import { Client, Fault, Schema } from "./client/index.js";
import { ageOf, filterMods, keepConnected, makeScale, nameOf, readToken } from "./game.js";

const [MIN_SPAN, MAX_SPAN] = [10_000, 60_000]; // milliseconds that the plot shows
const FILTER_FROM = 10; // mods
const byId = id => document.getElementById(id);
const number = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** The points of the plot: a time, and messages per second. */
const points = [];
/** The rows of the tables, by the key of what they show. */
const rows = { mods: new Map(), peers: new Map() };
/** The connected client, or null; the last status and its time, or null. */
let [game, last, lastTime] = [null, null, null];

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
    if (state !== "connected")
        game = null;
    byId("connection").dataset.state = state;
    setText(byId("connection"), text);
    showAge();
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
        button,
        element: element("tr", {},
            element("th", { scope: "row" }, nameOf(mod.Name), element("small", {}, `Version ${mod.Version}`)), element("td", { className: "wide" }, mod.Author),
            element("td", {}, state), rate, sent, element("td", {}, button)),
        update(now) {
            shown = now;
            state.dataset.runs = now.IsRunning;
            setText(state, now.IsRunning ? "running" : "suspended");
            setText(rate, number.format(now.Rate));
            setText(sent, number.format(now.Sent));
            setText(button, now.IsRunning ? "Suspend" : "Resume");
            button.setAttribute("aria-label", `${now.IsRunning ? "Suspend" : "Resume"} ${nameOf(now.Name)}`);
        },
    };
}

function makePeer(peer) {
    const time = element("td", { className: "number" });
    return {
        element: element("tr", {},
            element("th", { scope: "row" }, nameOf(peer.Name), element("small", { className: "narrow" }, peer.Address)), element("td", { className: "wide" }, peer.Address), time),
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
        setText(byId("failure"), `${nameOf(mod.Name)} was not changed: ${error instanceof Fault ? error.text : error.message}`);
    } finally {
        button.ariaDisabled = String(game === null);
    }
}

function show(status) {
    [last, lastTime] = [status, Date.now()];
    points.push([lastTime, status.MessagesPerSecond]);
    while (points[0][0] < lastTime - MAX_SPAN - 1000)
        points.shift();
    setText(byId("rate"), number.format(status.MessagesPerSecond));
    setText(byId("running"), `${status.Mods.filter(mod => mod.IsRunning).length} of ${status.Mods.length}`);
    setText(byId("count"), number.format(status.Peers.length));
    setText(byId("frame"), number.format(status.Frame));
    showMods();
    showRows("peers", status.Peers, peer => `${peer.Name} ${peer.Address}`, makePeer);
    drawPlot(lastTime);
    showAge();
}

/** Shows the mods that fit the filter, which long lists have. */
function showMods() {
    if (last === null)
        return;
    byId("filter").hidden = last.Mods.length < FILTER_FROM;
    const mods = filterMods(last.Mods, byId("filter").hidden ? "" : byId("words").value);
    showRows("mods", mods, mod => mod.Id, makeMod);
    setText(byId("shown"), byId("filter").hidden ? "" : `${mods.length} of ${last.Mods.length} mods`);
}

/** Shows how old everything is. Buttons work only while the game is connected. */
function showAge() {
    const { isOld, text } = ageOf(lastTime, Date.now(), game !== null);
    document.body.dataset.old = isOld;
    setText(byId("age"), text);
    setText(byId("now"), text || (last === null ? "" : "now"));
    for (const { button } of rows.mods.values())
        button.ariaDisabled = String(game === null);
}

function drawPlot(now) {
    const [width, height, most] = [600, 180, Math.max(...points.map(([, rate]) => rate))];
    const { top, lines } = makeScale(most);
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
        ...lines.map(line => make("line", { x1: 0, x2: width, y1: y(line), y2: y(line) })),
        make("polygon", { class: "area", points: `${x(points[0][0])},${height} ${curve} ${width},${height}` }),
        make("polyline", { class: "curve", points: curve }));
    byId("lines").replaceChildren(...lines.map(line => {
        const label = element("span", {}, number.format(line));
        label.style.bottom = `${100 * line / top}%`;
        return label;
    }));
    byId("plot").setAttribute("aria-label", `Messages per second: now ${number.format(points.at(-1)[1])}, at most ${number.format(most)} in the last ${number.format(span / 1000)} s`);
    setText(byId("span"), `${number.format(span / 1000)} s ago`);
}

/** Resolves with the port of the game that runs now. */
async function findPort() {
    const response = await fetch("game.json", { cache: "no-store" });
    return (await response.json()).port;
}

async function open(port, schema, token) {
    const client = new Client(`ws://127.0.0.1:${port}/`, schema, { token });
    client.on("GameStatus", show);
    const ended = new Promise(resolve => client.disconnected = resolve);
    await client.connect();
    game = client;
    return { ended };
}

byId("words").oninput = showMods;
setInterval(showAge, 500);
const { token, problem } = readToken(location.hash);
if (problem) {
    showConnection("lost", problem);
} else {
    const schema = await Schema.load("contracts.schema.json");
    await keepConnected({ findPort, open: port => open(port, schema, token), wait: time => new Promise(resolve => setTimeout(resolve, time)), show: showConnection });
}
