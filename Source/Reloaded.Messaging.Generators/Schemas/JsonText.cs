using System.Globalization;
using System.Text;

namespace Reloaded.Messaging.Generators.Schemas;

/// <summary>Reads JSON: objects as dictionaries, arrays as lists, strings, numbers as <see cref="double"/>, booleans and <see langword="null"/>.</summary>
/// <remarks>Analyzers run in compilers that bring no JSON library.</remarks>
internal sealed class JsonText
{
    private readonly string _text;
    private int _position;

    private JsonText(string text) => _text = text;

    /// <exception cref="FormatException">Thrown when the text is not JSON.</exception>
    public static object? Parse(string text)
    {
        var reader = new JsonText(text);
        var value = reader.ReadValue();
        reader.SkipSpace();
        return reader._position == text.Length ? value : throw reader.Fail();
    }

    private object? ReadValue()
    {
        SkipSpace();
        return Peek() switch
        {
            '{' => ReadObject(),
            '[' => ReadArray(),
            '"' => ReadString(),
            't' => ReadWord("true", true),
            'f' => ReadWord("false", false),
            'n' => ReadWord("null", null),
            _ => ReadNumber(),
        };
    }

    private Dictionary<string, object?> ReadObject()
    {
        var members = new Dictionary<string, object?>();
        _position++;
        while (!TakeEnd('}', members.Count > 0))
        {
            var name = ReadString();
            SkipSpace();
            Take(':');
            members[name] = ReadValue();
        }

        return members;
    }

    private List<object?> ReadArray()
    {
        var items = new List<object?>();
        _position++;
        while (!TakeEnd(']', items.Count > 0))
            items.Add(ReadValue());
        return items;
    }

    /// <summary>Takes the end of an object or array, or the comma before its next item.</summary>
    private bool TakeEnd(char end, bool needsComma)
    {
        SkipSpace();
        if (Peek() == end)
        {
            _position++;
            return true;
        }

        if (needsComma)
            Take(',');
        SkipSpace();
        return false;
    }

    private string ReadString()
    {
        var value = new StringBuilder();
        Take('"');
        while (Peek() != '"')
        {
            var one = _text[_position++];
            value.Append(one == '\\' ? ReadEscape() : one);
        }

        _position++;
        return value.ToString();
    }

    private char ReadEscape()
    {
        var kind = Peek();
        _position++;
        if (kind != 'u')
            return kind switch { 'n' => '\n', 't' => '\t', 'r' => '\r', 'b' => '\b', 'f' => '\f', _ => kind };
        if (_position + 4 > _text.Length || !ushort.TryParse(_text.Substring(_position, 4), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out var unit))
            throw Fail();
        _position += 4;
        return (char)unit;
    }

    private double ReadNumber()
    {
        var start = _position;
        while (_position < _text.Length && (char.IsDigit(_text[_position]) || _text[_position] is '-' or '+' or '.' or 'e' or 'E'))
            _position++;
        return double.TryParse(_text.Substring(start, _position - start), NumberStyles.Float, CultureInfo.InvariantCulture, out var number) ? number : throw Fail();
    }

    private object? ReadWord(string word, object? value)
    {
        foreach (var one in word)
            Take(one);
        return value;
    }

    private void Take(char expected)
    {
        if (Peek() != expected)
            throw Fail();
        _position++;
    }

    private char Peek() => _position < _text.Length ? _text[_position] : throw Fail();

    private void SkipSpace()
    {
        while (_position < _text.Length && _text[_position] is ' ' or '\t' or '\r' or '\n')
            _position++;
    }

    private FormatException Fail() => new($"The text is not JSON: character {_position} is not expected there.");
}
