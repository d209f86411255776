// Writes the first page of the site from the documents: the purpose, the figures beside SignalR and gRPC, the first step and the guarantees.
// Nothing is repeated here, so that the page says what the documents say.

import { size } from './picture.mjs';

const section = (text, heading, level = '##') => {
  const found = text.split(`\n${level} ${heading}\n`)[1];
  if (!found) throw new Error(`There is no section "${level} ${heading}".`);
  return found.split(new RegExp(`\n#{1,${level.length}} `))[0];
};

/** The table from which the figures are taken, with its rows and columns. The library is measured over the slower of two transports, which is that of gRPC. */
export const source = { section: '100 in flight, 200 B', page: 'benchmarks/index.md#100-in-flight-200-b' };
export const systems = { 'this library': 'this library (Unix socket)', 'SignalR': 'SignalR, MessagePack (TCP)', 'gRPC': 'gRPC (Unix socket)' };
export const columns = {
  'requests/s': { title: 'Requests per second', note: 'more is better' },
  'processor time, µs': { title: 'Processor time of a request', note: 'less is better', unit: 'µs' },
  'allocated, B': { title: 'Allocated by a request', note: 'less is better', unit: 'B' },
};

/** Returns the figures as [{ column, values: { system: text } }]. */
export function figures(benchmarks) {
  const rows = section(benchmarks, source.section, '###').split('\n').filter(line => line.startsWith('|'))
    .map(line => line.split('|').slice(1, -1).map(cell => cell.trim()));
  const cell = (system, column) => {
    const value = rows.find(([name]) => name === system)?.[rows[0].indexOf(column)];
    if (!value) throw new Error(`The table "${source.section}" has no value for ${system}, ${column}.`);
    return value;
  };
  return Object.keys(columns).map(column => ({ column, values: Object.fromEntries(Object.entries(systems).map(([name, row]) => [name, cell(row, column)])) }));
}

function figureHtml({ column, values }) {
  const { title, note, unit } = columns[column];
  const numbers = Object.values(values).map(value => Number(value.replaceAll(',', '')));
  const bars = Object.entries(values).map(([name, value], index) =>
    `<dt>${name}</dt><dd${index ? '' : ' class="ours"'}><span class="bar" style="width:${(numbers[index] / Math.max(...numbers) * 100).toFixed(1)}%"></span><b>${value}${unit ? ` ${unit}` : ''}</b></dd>`);
  return `<div class="figure"><p><strong>${title}</strong> ${note}</p><dl>${bars.join('')}</dl></div>`;
}

/** Returns the Markdown of the page. */
export function writeLanding(readme, security, benchmarks, repository) {
  const [purpose, more] = readme.split('\n\n').slice(1).find(part => part.includes(': ')).split(/: (.*)/s);
  const rest = JSON.stringify(`${more[0].toUpperCase()}${more.slice(1)}`);
  const [server, client] = section(readme, 'A server and a client').match(/^```csharp\n[^]*?^```$/gm);
  const start = readme.match(/^dotnet run .*$/m)[0]; // the packages are not published yet
  const guarantees = [...section(security, 'Guarantees').replaceAll('](', '](docs/').matchAll(/^- (.*?)\.(?:\*\*)? (.*)$/gm)]
    .map(([, name, text]) => `<div class="card">\n\n**${name.replaceAll('**', '')}**\n\n${text}\n\n</div>`);

  return `---
layout: home
install: ${start}
description: ${rest}
hero:
  name: Reloaded.Messaging
  text: ${purpose}
  tagline: ${rest}
  image: { src: /mod-loader.svg, width: ${size.width}, height: ${size.height}, alt: A tool lists, loads and suspends the mods of a running game }
  actions:
    - { theme: brand, text: Get started, link: /getting-started }
    - { theme: alt, text: Overview, link: /overview }
    - { theme: alt, text: Repository, link: "${repository}" }
---

<div class="figures">${figures(benchmarks).map(figureHtml).join('')}</div>

<p class="source">Requests of 200 B between two processes, 100 in flight: this library and gRPC over a Unix socket, SignalR with MessagePack over TCP. The last two figures count both processes.
<a href="./${source.page.replace('.md', '.html')}">All figures</a>, also those that other libraries win.</p>

## A server and a client

::: code-group
${server.replace('csharp', 'csharp [Server]')}
${client.replace('csharp', 'csharp [Client]')}
:::

The package is not published yet: [pack it](README.md#install) in a clone first. To use TCP, UDP, a named pipe or shared memory, change the endpoint. [Getting started](docs/getting-started.md) continues from here, the [cookbook](docs/cookbook.md) has complete programs, and the [comparison](docs/comparison.md) says when another library is the better choice.

## What it guarantees

<div class="cards">

${guarantees.join('\n')}

</div>
`;
}
