// Draws docs/mod-loader.svg, the moving picture of a run of Examples/ModLoader, from the lines of that run in picture.json.
// "node site/picture.mjs record" runs the example, writes both files, and needs a build of the example.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
export const recording = join(root, 'site/picture.json');
export const picture = join(root, 'docs/mod-loader.svg');

const columns = 68, visible = 16, line = 20, letter = 8.43;
const slower = 9, longest = 1.2, pause = 5; // the run takes about a second: a reader needs more time, above all at the end, but no long waits
export const size = { width: Math.ceil(columns * letter) + 40, height: visible * line + 64 };
const colors = { command: '#ffffff', fault: '#f2b84b', done: '#7fd1c1', dim: '#8fa3bd', text: '#d5deea' };

/** Runs the example. Returns its lines as [milliseconds since the first line, text]. */
export async function run() {
  const program = join(root, 'Examples/ModLoader/bin/Release/net10.0/ModLoader.dll');
  if (!existsSync(program)) throw new Error(`${program} does not exist. Run "dotnet build -c Release -f net10.0 Examples/ModLoader" first.`);
  const process = spawn('dotnet', [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve, reject) => process.on('error', reject).on('close', resolve));
  const lines = [];
  let start;
  for await (const text of createInterface({ input: process.stdout })) {
    start ??= performance.now();
    lines.push([Math.round(performance.now() - start), text]);
  }
  const code = await ended;
  if (code) throw new Error(`The example ended with ${code}: ${lines.map(([, text]) => text).join('\n')}`);
  return lines;
}

/** Returns a line without what differs between runs: numbers, ids of pipes, and the blanks that align them. */
export const withoutNumbers = text => text.replace(/shm:\S+/, 'shm').replace(/\b(?<!FAULT )\d[\d.,]*/g, '#').replace(/ +/g, ' ').replace(/-{2,}/g, '--').replace(/# (ms|µs|s)\b/g, '# s');

const kind = text => text.startsWith('>') ? 'command' : /FAULT|failed|Killing/.test(text) ? 'fault' : /^All steps|again|->/.test(text) ? 'done' : /^(mod |---|and )/.test(text) ? 'dim' : 'text';

/** Returns the rows of a line: it is broken at blanks, and the later rows are indented. A row has parts of a color. */
function rowsOf(text) {
  const rows = [];
  let rest = text.replace(/^(> .*?) {3,}(.*? ms) {3}/, (_, command, time) => `${command.padEnd(32)}${time.trim().padStart(9)}  `);
  for (let indent = ''; rest.length + indent.length > columns; indent = '    ') {
    const end = rest.lastIndexOf(' ', columns - indent.length);
    rows.push(indent + rest.slice(0, end));
    rest = rest.slice(end + 1);
    if (rest.length + 4 <= columns) { rows.push(`    ${rest}`); return rows; }
  }
  return [...rows, rest];
}

const escape = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Returns the parts of a first row of a command: what was entered is bright, and the rest has the color of its outcome. */
function write(row, outcome) {
  const command = row.match(/^> .*? (?= +[\d.]+ ms)/)?.[0];
  const span = (text, color) => `<tspan fill="${colors[color]}">${escape(text)}</tspan>`;
  if (!command) return span(row, outcome);
  const rest = row.slice(command.length);
  return span(command, 'command') + span(rest, /FAULT/.test(rest) ? 'fault' : /->/.test(rest) ? 'done' : 'dim');
}

/** Returns the picture of a run. Without motion, if the reader prefers that, it shows the end of the run. */
export function draw(lines) {
  let shown = 0;
  const starts = lines.map(([time], index) => shown += Math.min((time - (lines[index - 1]?.[0] ?? 0)) * slower / 1000, longest));
  const total = shown + pause;
  const rows = lines.flatMap(([, text], index) => {
    const outcome = text.startsWith('>') ? (/FAULT/.test(text) ? 'fault' : 'done') : kind(text);
    return rowsOf(text).map(row => ({ at: starts[index] / total * 100, text: write(row, outcome) }));
  });
  const { width, height } = size;
  const scrolled = index => -Math.max(0, index + 1 - visible) * line;
  const percent = at => `${at.toFixed(2)}%`;

  const times = [...new Set(rows.map(({ at }) => at))];
  const steps = times.map(at => [at, scrolled(rows.findLastIndex(row => row.at <= at))]);
  const scroll = [...steps.filter(([, y], index) => index === 0 || y !== steps[index - 1][1]), [100, scrolled(rows.length - 1)]];
  const shows = times.map((at, index) => `@keyframes s${index}{0%{opacity:0}${percent(Math.max(at, .01))},100%{opacity:1}}.s${index}{animation-name:s${index}}`);

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A tool lists, loads and suspends the mods of a game, and finds the game again after it was killed">
<!-- Written by site/picture.mjs from a run of Examples/ModLoader, ${slower} times slower, without waits of more than ${longest} s. -->
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
.r,.w{animation:${total.toFixed(2)}s step-end infinite}
.w{animation-name:w;transform:translateY(${scrolled(rows.length - 1)}px)}
@keyframes w{${scroll.map(([at, y]) => `${percent(at)}{transform:translateY(${y}px)}`).join('')}}
${shows.join('\n')}
@media(prefers-reduced-motion:reduce){.r,.w{animation:none}}
</style>
<rect width="${width}" height="${height}" rx="12" fill="#14233a"/>
<circle cx="22" cy="20" r="6" fill="#f2b84b"/><circle cx="42" cy="20" r="6" fill="#7fd1c1"/><circle cx="62" cy="20" r="6" fill="#8fa3bd"/>
<text x="${width / 2}" y="25" text-anchor="middle" fill="${colors.dim}">a game and its tool, in two processes</text>
<clipPath id="c"><rect y="42" width="${width}" height="${visible * line + 4}"/></clipPath>
<g clip-path="url(#c)"><g class="w">
${rows.map(({ at, text }, index) => `<text class="r s${times.indexOf(at)}" x="20" y="${58 + index * line}">${text}</text>`).join('\n')}
</g></g>
</svg>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'record') writeFileSync(recording, `[\n${(await run()).map(entry => JSON.stringify(entry)).join(',\n')}\n]\n`);
  writeFileSync(picture, draw(JSON.parse(readFileSync(recording, 'utf8'))));
}
