// The generator of the API reference, on a small package.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeReference } from '../api/reference.mjs';

const surface = `
interface Small.IStore<T>
    bool TryGet(string key, out T value)

sealed class Small.Store<T> : IDisposable, IStore<T> where T : class
    .ctor(int capacity = 16, Mode mode = 1)
    bool TryGet(string key, out T value)
    bool Equals(object obj)
    event Action<T> Added
    int Capacity { get; }
    static Store<TItem> Of<TItem>(ReadOnlySpan<TItem> items, Dictionary<string, int?> ranks, int[] more) where TItem : class
    void Dispose()

readonly struct Small.Store<T>.Entry

enum Small.Mode : int
      0 Strict
      1 Loose

delegate void Small.Visit<T>(in T item)

abstract class Small.Forms<TItem>
    abstract void Put(Mode mode, Action<TItem> item)
    abstract void Put(Mode mode, Func<TItem> item)
    void Put(Action<TItem> item)

abstract class Small.Middle<TItem> : Forms<TItem>

sealed class Small.Derived : Middle<int>, IDisposable
    virtual void Put(Mode mode, Action<int> item)
    virtual void Put(Mode mode, Func<int> item)

class Small.CompilerServices.Hidden
    void Run()
`;

const xml = `<?xml version="1.0"?>
<doc><assembly><name>Small</name></assembly><members>
<member name="T:Small.IStore\`1"><summary>Reads items.</summary></member>
<member name="M:Small.IStore\`1.TryGet(System.String,\`0@)"><summary>Gets an item.</summary><returns><see langword="true"/> if it exists.</returns></member>
<member name="T:Small.Store\`1"><summary>Keeps items &amp; more, at most {n} of <c>A|B</c>.</summary><typeparam name="T">The item.</typeparam>
  <remarks>First.<para>Second, see <see cref="T:System.Guid"/> and <see cref="P:Small.Store\`1.Capacity"/>.</para></remarks></member>
<member name="M:Small.Store\`1.#ctor(System.Int32,Small.Mode)"><summary>Makes a store.</summary><param name="capacity">How many.</param><param name="mode">How.</param>
  <exception cref="T:System.ArgumentOutOfRangeException">Thrown when the capacity is negative.</exception></member>
<member name="M:Small.Store\`1.TryGet(System.String,\`0@)"><inheritdoc/></member>
<member name="E:Small.Store\`1.Added"><summary>Raised after an addition.</summary></member>
<member name="P:Small.Store\`1.Capacity"><summary>The size.</summary></member>
<member name="M:Small.Store\`1.Of\`\`1(System.ReadOnlySpan{\`\`0},System.Collections.Generic.Dictionary{System.String,System.Nullable{System.Int32}},System.Int32[])">
  <summary>Makes a store of items.</summary></member>
<member name="M:Small.Store\`1.Dispose"><inheritdoc/></member>
<member name="T:Small.Store\`1.Entry"><summary>One item.</summary></member>
<member name="T:Small.Mode"><summary>How strict.</summary></member>
<member name="F:Small.Mode.Strict"><summary>Throws.</summary></member>
<member name="F:Small.Mode.Loose"><summary>Ignores.</summary></member>
<member name="T:Small.Forms\`1"><summary>Has forms.</summary></member>
<member name="M:Small.Forms\`1.Put(Small.Mode,System.Action{\`0})"><summary>Puts by an action.</summary><param name="mode">How to put.</param><param name="item">What to put.</param></member>
<member name="M:Small.Forms\`1.Put(Small.Mode,System.Func{\`0})"><summary>Puts by a function.</summary><param name="mode">How to put.</param><param name="item">What to put.</param></member>
<member name="M:Small.Forms\`1.Put(System.Action{\`0})"><summary>Puts strictly.</summary><inheritdoc cref="M:Small.Forms\`1.Put(Small.Mode,System.Action{\`0})"/></member>
<member name="T:Small.Middle\`1"><summary>Is between.</summary></member>
<member name="T:Small.Derived"><summary>Implements forms.</summary></member>
<member name="M:Small.Derived.Put(Small.Mode,System.Action{System.Int32})"><inheritdoc/><remarks>Not soon.</remarks></member>
<member name="M:Small.Derived.Put(Small.Mode,System.Func{System.Int32})"><inheritdoc/></member>
<member name="T:Small.Visit\`1"><summary>Sees an item.</summary></member>
</members></doc>`;

const [page] = writeReference([{ name: 'Small', description: 'A <small> package.', surface, xml }]);
const has = text => assert.ok(page.text.includes(text), `The page lacks:\n${text}\n\nThe page is:\n${page.text}`);
const lacks = text => assert.ok(!page.text.includes(text), `The page has:\n${text}`);

test('Reference_begins_with_its_title', () => assert.ok(page.text.startsWith('# Small\n'), page.text.slice(0, 100)));

test('Reference_has_heading_and_row_for_each_type', () => {
  has('# Small\n\nA &lt;small&gt; package.');
  has('| [`Store<T>`](#store-1) | Keeps items &amp; more, at most &#123;n} of `A\\|B`. |');
  has('## Store&lt;T&gt; {#store-1}');
  has('## Store&lt;T&gt;.Entry {#store-1-entry}');
  has('```csharp\npublic delegate void Visit<T>(in T item)\n```\n\nSees an item.');
});

test('Signature_names_constructor_constraints_and_default_values_of_enums', () => {
  has('public sealed class Store<T> : IDisposable, IStore<T>\n    where T : class');
  has('### new Store {#store-1-ctor}\n\n```csharp\nStore(int capacity = 16, Mode mode = Mode.Loose)\n```');
});

test('Signature_that_is_long_has_line_for_each_parameter', () =>
  has('Of<TItem>(\n    ReadOnlySpan<TItem> items,\n    Dictionary<string, int?> ranks,\n    int[] more)\n    where TItem : class\n```\n\nMakes a store of items.'));

test('Parameters_and_exceptions_are_listed_with_links_to_known_types', () => {
  has('- `capacity`: How many.\n- `mode` ([`Mode`](./small.md#mode)): How.');
  has('- Throws `ArgumentOutOfRangeException`: Thrown when the capacity is negative.');
});

test('References_lead_to_members_and_leave_unknown_types_as_text', () =>
  has('First.\n\nSecond, see `Guid` and [`Store.Capacity`](./small.md#store-1-capacity).'));

test('Inherited_documentation_comes_from_interface', () => {
  assert.equal(page.text.split('Gets an item.').length, 3);
  has('Returns: `true` if it exists.');
  has('Implements or overrides a member of `IDisposable` or `object`.');
});

test('Inherited_documentation_completes_own_elements', () => {
  has('Put(Action<TItem> item)\n```\n\nPuts strictly.\n\n- `item`: What to put.\n');
  has('Put(Mode mode, Action<int> item)\n```\n\nPuts by an action.\n\n- `mode` ([`Mode`](./small.md#mode)): How to put.\n- `item`: What to put.\n\nNot soon.');
  has('Put(Mode mode, Func<int> item)\n```\n\nPuts by a function.');
});

test('Values_of_enum_are_table', () => has('| value | number | meaning |\n|---|---:|---|\n| `Strict` | 0 | Throws. |\n| `Loose` | 1 | Ignores. |'));

test('Members_of_compiler_and_of_generated_code_are_left_out', () => {
  lacks('Hidden');
  lacks('Equals');
});

test('Member_without_documentation_throws_with_its_name', () =>
  assert.throws(() => writeReference([{ name: 'Small', description: '', surface, xml: xml.replace('name="P:Small.Store`1.Capacity"', 'name="P:Small.Store`1.Other"') }]),
    /1 public types or members have no documentation.*Small\.Store`1\.Capacity/));

test('Unknown_element_throws', () =>
  assert.throws(() => writeReference([{ name: 'Small', description: '', surface, xml: xml.replace('<c>A|B</c>', '<blink>A</blink>') }]),
    /<blink> is not supported/));
