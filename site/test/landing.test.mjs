// The first page, whose figures come from the benchmarks, and its moving picture, which comes from a run of an example.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { figures, writeLanding } from '../landing.mjs';
import { root } from '../pages.mjs';
import { draw, picture, recording, run, withoutNumbers } from '../picture.mjs';

const read = path => readFileSync(join(root, path), 'utf8');
const readme = read('README.md'), security = read('docs/security.md'), benchmarks = read('docs/benchmarks/README.md');
const lines = JSON.parse(readFileSync(recording, 'utf8'));

test('Figures_are_those_of_the_benchmarks', () => {
  const [, part] = benchmarks.split('\n### 100 in flight, 200 B\n');
  const values = name => part.split('\n').find(line => line.startsWith(`| ${name} |`)).split('|').map(cell => cell.trim());
  const [ours, signalR, grpc] = ['this library (Unix socket)', 'SignalR, MessagePack (TCP)', 'gRPC (Unix socket)'].map(values);
  assert.deepEqual(figures(benchmarks).map(({ values }) => values), [2, 5, 6].map(column => ({ 'this library': ours[column], SignalR: signalR[column], gRPC: grpc[column] })));
  for (const value of [ours, signalR, grpc].flatMap(row => [row[2], row[5], row[6]]))
    assert.ok(writeLanding(readme, security, benchmarks, '').includes(`<b>${value}`), value);
});

test('Figure_that_is_missing_throws_with_its_row', () =>
  assert.throws(() => figures(benchmarks.replaceAll('| gRPC (Unix socket) |', '| gRPC |')), /has no value for gRPC \(Unix socket\), requests\/s/));

test('Page_has_purpose_first_command_programs_and_guarantees_of_documents', () => {
  const page = writeLanding(readme, security, benchmarks, 'https://repository.example');
  assert.ok(page.includes('  text: Typed messages for .NET programs\n'));
  assert.ok(page.includes('install: dotnet run -c Release --project Examples/ModLoader\n'));
  assert.ok(page.includes('link: "https://repository.example"'));
  const programs = [...page.matchAll(/```csharp \[\w+\]\n([^]*?)```/g)].map(([, code]) => code);
  assert.equal(programs.length, 2);
  for (const code of programs)
    assert.ok(readme.includes(code) && code.split('\n').length <= 12, code);
  assert.equal(page.match(/class="card"/g).length, security.split('\n## Guarantees\n')[1].split('\n## ')[0].match(/^- /gm).length);
});

test('Picture_is_drawn_from_its_recording', () =>
  assert.ok(readFileSync(picture, 'utf8') === draw(lines), 'Run "node site/picture.mjs" to draw docs/mod-loader.svg again.'));

test('Recording_is_what_the_example_prints', async () => {
  const sorted = run => run.map(([, text]) => withoutNumbers(text)).sort(); // an error of the game may come before or after the reply
  assert.deepEqual(sorted(lines), sorted(await run()), 'Run "node site/picture.mjs record" to record the example again.');
});
