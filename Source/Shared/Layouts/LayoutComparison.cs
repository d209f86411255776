namespace Reloaded.Messaging;

/// <summary>The first difference between the layouts of a contract on the two sides.</summary>
internal sealed class LayoutDifference(string path, string subject, string ours, string theirs, int ourLine, string advice = "")
{
    /// <summary>The path of the field that differs, from the name of the contract.</summary>
    public readonly string Path = path;

    /// <summary>The part that differs, as the subject of a sentence.</summary>
    public readonly string Subject = subject;

    /// <summary>The form of this part on this side.</summary>
    public readonly string Ours = ours;

    /// <summary>The form of this part on the remote side; untrusted.</summary>
    public readonly string Theirs = theirs;

    /// <summary>The number of the line of this side with the field: the contract, or a message inside.</summary>
    public readonly int OurLine = ourLine;

    /// <summary>A way out that is special to this difference, as the end of the sentence.</summary>
    public readonly string Advice = advice;

    /// <summary>Returns the same difference of a line that another contract reaches by another path.</summary>
    public LayoutDifference MoveTo(string from, string to) =>
        from == to ? this : new(Path.Remove(0, from.Length).Insert(0, to), Subject.Replace(from, to), Ours, Theirs, OurLine, Advice);

    /// <summary>Returns the difference as a clause.</summary>
    /// <param name="isOurView">Whether "here" is this side; otherwise, it is the remote side.</param>
    /// <param name="here">The words for this side.</param>
    /// <param name="there">The words for the other side.</param>
    public string Describe(bool isOurView, string here = "here", string there = "there") =>
        $"{Subject} is {(isOurView ? Ours : Theirs)} {here} and {(isOurView ? Theirs : Ours)} {there}{Advice}";
}

/// <summary>Compares the layouts of contracts on the two sides, including all messages inside: both sides must give the same bytes the same meaning.</summary>
/// <remarks>
/// Fields may be appended, in the messages inside too. The layouts of the remote side are untrusted: a line that cannot be read counts as not known, a type
/// that cannot be read as different, and the number of lines limits the work. Not thread-safe. In a build, "ours" are the contracts of the assembly, and
/// "theirs" those of the committed schema: so the build finds what the handshake finds.
/// </remarks>
internal sealed class LayoutComparison(ContractLayouts ours, ContractLayouts theirs)
{
    private const string UseAnotherNumber = "; for a renamed field, set FormerName of its [MessageField], and give another field an unused number";

    private readonly bool _isSame = string.Equals(ours.ToString(), theirs.ToString(), StringComparison.Ordinal);
    private readonly HashSet<(int, int)> _equal = []; // pairs of lines that are equal with all lines that they reach
    private readonly Dictionary<(int, int), Verdict> _verdicts = []; // of each pair that was compared, so that a hostile line is read once for all contracts that reach it
    private readonly HashSet<(int, int)> _seen = [];
    private readonly List<Step> _steps = [];
    private int _current;
    private Verdict _verdict = new();

    /// <summary>The number of pairs of lines that were read.</summary>
    public int Comparisons => _verdicts.Count;

    /// <summary>Returns the first difference between two lines and the messages inside them; <c>null</c> if each side can read the other, or if a line is not known.</summary>
    public LayoutDifference? Find(int ourLine, int theirLine)
    {
        if (_isSame && ourLine == theirLine)
            return null;
        _steps.Clear();
        _seen.Clear();
        Push(ourLine, theirLine, -1, "");
        for (_current = 0; _current < _steps.Count; _current++)
        {
            // Honest sides have one pair for each line of this side, or a few more where two messages share an id.
            if (_current > ours.Count + theirs.Count)
                return NoteDifference(new LayoutDifference(Path(), $"the layout of {Path()}", "finite", "without an end", _steps[_current].Ours));
            if (FindInLines(_steps[_current]) is { } difference)
                return NoteDifference(difference);
        }

        _equal.UnionWith(_seen);
        return null;
    }

    private void Push(int ourLine, int theirLine, int parent, string via)
    {
        if (!_equal.Contains((ourLine, theirLine)) && _seen.Add((ourLine, theirLine)))
            _steps.Add(new Step(ourLine, theirLine, parent, via));
    }

    private LayoutDifference? FindInLines(Step step)
    {
        if (!ours.TryGet(step.Ours, out var here) || !theirs.TryGet(step.Theirs, out var there))
            return null;
        if (here.Version != there.Version && step.Parent >= 0) // the versions of the contract itself were compared before
            return Differ("", $"the version of {here.Name.ToString()} in {Path()}", $"{here.Version}", $"{there.Version}");
        if (!_verdicts.TryGetValue((step.Ours, step.Theirs), out var known))
        {
            _verdicts[(step.Ours, step.Theirs)] = _verdict = new Verdict();
            return CompareLines(here, there);
        }

        foreach (var (ourLine, theirLine, via) in known.Inside)
            Push(ourLine, theirLine, _current, via);
        return known.Difference?.MoveTo(known.Path, Path());
    }

    /// <summary>Remembers a difference for each pair of lines from which it was reached.</summary>
    private LayoutDifference NoteDifference(LayoutDifference difference)
    {
        for (var at = _current; at >= 0; at = _steps[at].Parent)
        {
            var pair = (_steps[at].Ours, _steps[at].Theirs);
            if (_verdicts.TryGetValue(pair, out var verdict) && verdict.Difference is null)
                (verdict.Difference, verdict.Path) = (difference, Path(at));
        }

        return difference;
    }

    private LayoutDifference? CompareLines(LayoutLine here, LayoutLine there)
    {
        if (here.Kind != there.Kind)
            return Differ("", Path(), KindText(here.Kind), KindText(there.Kind));
        if (AreSame(here.Fields, there.Fields))
            return null;
        return here.Kind == LayoutLine.Ordered ? CompareByPlace(here.Fields, there.Fields) : CompareByNumber(here.Fields, there.Fields, here.Kind == LayoutLine.Union);
    }

    private LayoutDifference? CompareByPlace(ReadOnlySpan<char> here, ReadOnlySpan<char> there)
    {
        for (var place = 1; LayoutLine.TryTake(ref here, out var ourField) && LayoutLine.TryTake(ref there, out var theirField); place++)
        {
            var ourName = LayoutLine.TakeWord(ref ourField);
            var theirName = LayoutLine.TakeWord(ref theirField);
            if (!ourName.SequenceEqual(theirName))
                return Differ($".{ourName.ToString()}", $"field {place} of {Path()}", NameAndType(ourName, ourField, ours), NameAndType(theirName, theirField, theirs));
            if (AreSame(ourField, theirField))
                continue;
            if (CompareField($".{ourName.ToString()}", ourField, theirField) is { } difference)
                return difference;
        }

        return null;
    }

    private LayoutDifference? CompareByNumber(ReadOnlySpan<char> here, ReadOnlySpan<char> there, bool isUnion)
    {
        var fields = new Dictionary<string, string>(StringComparer.Ordinal);
        while (LayoutLine.TryTake(ref there, out var field))
            fields[LayoutLine.TakeWord(ref field).ToString()] = field.ToString();
        while (LayoutLine.TryTake(ref here, out var ourField))
        {
            var number = LayoutLine.TakeWord(ref ourField);
            if (!fields.TryGetValue(number.ToString(), out var text))
                continue;
            var theirField = text.AsSpan();
            var ourName = isUnion ? number : LayoutLine.TakeWord(ref ourField);
            var theirName = isUnion ? number : LayoutLine.TakeWord(ref theirField);
            if (!HaveNameInCommon(ourName, theirName))
            {
                ourName = WithoutFormerName(ourName);
                return Differ($".{ourName.ToString()}", $"field {number.ToString()} of {Path()}", NameAndType(ourName, ourField, ours), NameAndType(WithoutFormerName(theirName), theirField, theirs), UseAnotherNumber);
            }

            if (AreSame(ourField, theirField))
                continue;
            if (CompareField(isUnion ? $"<{number.ToString()}>" : $".{WithoutFormerName(ourName).ToString()}", ourField, theirField) is { } difference)
                return difference;
        }

        return null;
    }

    /// <summary>Returns whether two fields of a version-tolerant message with one number are the same field. A name can be followed by the sign = and a former name.</summary>
    private static bool HaveNameInCommon(ReadOnlySpan<char> ourName, ReadOnlySpan<char> theirName)
    {
        var ourNow = WithoutFormerName(ourName);
        var theirNow = WithoutFormerName(theirName);
        return ourNow.SequenceEqual(theirNow) || FormerName(ourName).SequenceEqual(theirNow) || ourNow.SequenceEqual(FormerName(theirName)) ||
            (FormerName(ourName) is { IsEmpty: false } former && former.SequenceEqual(FormerName(theirName)));
    }

    private static ReadOnlySpan<char> WithoutFormerName(ReadOnlySpan<char> name) => name.IndexOf('=') is >= 0 and var end ? name.Slice(0, end) : name;

    private static ReadOnlySpan<char> FormerName(ReadOnlySpan<char> name) => name.IndexOf('=') is >= 0 and var end ? name.Slice(end + 1) : default;

    /// <summary>Returns whether two texts are the same, and refer to lines that are equal or that will be compared. Creates no strings, so that equal lines need none.</summary>
    private bool AreSame(ReadOnlySpan<char> here, ReadOnlySpan<char> there)
    {
        while (true)
        {
            var next = here.IndexOfAny('@', '<');
            if (next < 0)
                return here.SequenceEqual(there);
            if (there.Length <= next || !here.Slice(0, next + 1).SequenceEqual(there.Slice(0, next + 1)))
                return false;

            var isMessage = here[next] == '@';
            here = here.Slice(isMessage ? next + 1 : next);
            there = there.Slice(isMessage ? next + 1 : next);
            var length = here.Length;
            var isSame = isMessage
                ? IsKnown((LayoutCode.TakeNumber(ref here), LayoutCode.TakeNumber(ref there)))
                : LayoutCode.TakeMembers(ref here, ours).SequenceEqual(LayoutCode.TakeMembers(ref there, theirs));
            if (!isSame || here.Length == length)
                return false;
        }
    }

    private bool IsKnown((int Ours, int Theirs) lines)
    {
        if (_equal.Contains(lines))
            return true;
        var isSeen = _seen.Contains(lines);
        if (isSeen)
            _verdict.Inside.Add((lines.Ours, lines.Theirs, ""));
        return isSeen;
    }

    private LayoutDifference? CompareField(string path, ReadOnlySpan<char> ourCode, ReadOnlySpan<char> theirCode)
    {
        var codes = new CodePair { Ours = ourCode, Theirs = theirCode };
        var difference = Compare(ref codes, path);
        return difference is null && !(codes.Ours.IsEmpty && codes.Theirs.IsEmpty) ? DifferInType(path, ourCode, theirCode) : difference;
    }

    /// <summary>Compares two types, and takes them from the codes.</summary>
    private LayoutDifference? Compare(ref CodePair codes, string path)
    {
        var (ourCode, theirCode) = codes;
        switch (codes.Next)
        {
            case '[':
                codes.Skip();
                return Compare(ref codes, path + "[]") ?? (codes.TrySkip(']') ? null : DifferInType(path, ourCode, theirCode));
            case '?':
                codes.Skip();
                return Compare(ref codes, path);
            case '{':
                codes.Skip();
                return Compare(ref codes, path + "[key]") ?? (codes.TrySkip(':') ? null : DifferInType(path, ourCode, theirCode)) ??
                    Compare(ref codes, path + "[]") ?? (codes.TrySkip('}') ? null : DifferInType(path, ourCode, theirCode));
            case '(':
                return CompareItems(ref codes, path);
            case '@':
                codes.Skip();
                return CompareMessages(LayoutCode.TakeNumber(ref codes.Ours), LayoutCode.TakeNumber(ref codes.Theirs)) ? DifferInType(path, ourCode, theirCode) : null;
            default:
                var ourType = LayoutCode.TakeSimple(ref codes.Ours);
                if (!ourType.SequenceEqual(LayoutCode.TakeSimple(ref codes.Theirs)) || ourType.IsEmpty)
                    return DifferInType(path, ourCode, theirCode);
                return CompareMembers(LayoutCode.TakeMembers(ref codes.Ours, ours), LayoutCode.TakeMembers(ref codes.Theirs, theirs), path);
        }

        // Returns whether the ids differ. Otherwise, the messages are compared later.
        bool CompareMessages(int ourLine, int theirLine)
        {
            if (!ours.TryGet(ourLine, out var here) || !theirs.TryGet(theirLine, out var there))
                return false;
            if (here.Id != there.Id)
                return true;
            _verdict.Inside.Add((ourLine, theirLine, path));
            Push(ourLine, theirLine, _current, path);
            return false;
        }
    }

    /// <summary>Compares the fields of a struct or the items of a tuple.</summary>
    private LayoutDifference? CompareItems(ref CodePair codes, string path)
    {
        var (ourCode, theirCode) = codes;
        codes.Skip();
        for (var place = 1; ; place++)
        {
            var ourName = LayoutCode.TakeName(ref codes.Ours);
            var theirName = LayoutCode.TakeName(ref codes.Theirs);
            if (!IsSameItem(ourName, theirName))
                return Differ(path, $"item {place} of {Path()}{path}", ourName.ToString(), Clean(theirName));
            if (Compare(ref codes, ourName.IsEmpty ? path : $"{path}.{ourName.ToString()}") is { } difference)
                return difference;
            if (codes.TrySkip(')'))
                return null;
            if (!codes.TrySkip(',') && !codes.TrySkip(':'))
                return DifferInType(path, ourCode, theirCode);
        }
    }

    /// <summary>Compares names of items. A field may be <c>_x</c> in one program and a property <c>X</c> in the other one. Items of tuples can have no name.</summary>
    private static bool IsSameItem(ReadOnlySpan<char> ourName, ReadOnlySpan<char> theirName) =>
        ourName.IsEmpty || theirName.IsEmpty || ourName.TrimStart('_').Equals(theirName.TrimStart('_'), StringComparison.OrdinalIgnoreCase);

    /// <summary>Compares the members of an enum. Members may be added; a name and a number that both sides have must belong together on both. A number and an enum are the same bytes.</summary>
    private LayoutDifference? CompareMembers(ReadOnlySpan<char> here, ReadOnlySpan<char> there, string path)
    {
        if (here.IsEmpty || there.IsEmpty || here.SequenceEqual(there))
            return null;
        var ourMembers = Members(here);
        var theirNumbers = new Dictionary<string, string>(StringComparer.Ordinal);
        var theirNames = new Dictionary<string, string>(StringComparer.Ordinal);
        var theirMembers = Members(there);
        for (var i = theirMembers.Count - 1; i >= 0; i--)
        {
            var (name, number) = theirMembers[i];
            theirNumbers[name] = number;
            theirNames[number] = name; // of several names, the first one
        }

        foreach (var (name, number) in ourMembers)
        {
            if (theirNumbers.TryGetValue(name, out var other) && other != number)
                return Differ(path, $"the member {name} of {Path()}{path}", number, Clean(other));
        }

        foreach (var (name, number) in ourMembers)
        {
            if (theirNames.TryGetValue(number, out var other) && !ourMembers.Exists(one => one.Number == number && theirNumbers.ContainsKey(one.Name)))
                return Differ(path, $"the number {number} of {Path()}{path}", name, Clean(other), "; for a renamed member, keep the former name as a second member with the same number");
        }

        return null;
    }

    private static List<(string Name, string Number)> Members(ReadOnlySpan<char> text)
    {
        var members = new List<(string Name, string Number)>();
        while (!text.IsEmpty)
        {
            var end = text.IndexOf(',');
            var member = end < 0 ? text : text.Slice(0, end);
            text = text.Slice(end < 0 ? text.Length : end + 1);
            var sign = member.IndexOf('=');
            if (sign > 0)
                members.Add((member.Slice(0, sign).ToString(), member.Slice(sign + 1).ToString()));
        }

        members.Sort(static (one, other) => string.CompareOrdinal(one.Name, other.Name)); // so that both sides name the same member first
        return members;
    }

    private LayoutDifference DifferInType(string path, ReadOnlySpan<char> ourCode, ReadOnlySpan<char> theirCode) =>
        Differ(path, Path() + path, TypeText.Describe(ourCode, ours), TypeText.Describe(theirCode, theirs));

    private LayoutDifference Differ(string path, string subject, string here, string there, string advice = "") => new(Path() + path, subject, here, there, _steps[_current].Ours, advice);

    private static string NameAndType(ReadOnlySpan<char> name, ReadOnlySpan<char> code, ContractLayouts layouts) => $"{Clean(name)} ({TypeText.Describe(code, layouts)})";

    private static string KindText(char kind) => kind switch
    {
        LayoutLine.Numbered => "version-tolerant",
        LayoutLine.Union => "a union",
        _ => "not version-tolerant",
    };

    private static string Clean(ReadOnlySpan<char> theirs) => RemoteText.Clean(theirs.Slice(0, Math.Min(theirs.Length, TypeText.MaxLength)).ToString());

    /// <summary>The path of the line that is compared, from the name of the contract.</summary>
    private string Path() => Path(_current);

    private string Path(int at)
    {
        var path = "";
        for (; _steps[at].Parent >= 0; at = _steps[at].Parent)
            path = _steps[at].Via + path;
        return (ours.TryGet(_steps[at].Ours, out var root) ? root.Name.ToString() : "") + path;
    }

    /// <summary>What is known of a pair of lines.</summary>
    private sealed class Verdict
    {
        /// <summary>The pairs of messages inside, with the path to each.</summary>
        public readonly List<(int Ours, int Theirs, string Via)> Inside = [];

        /// <summary>The difference of the lines or of lines that they reach; <c>null</c> if none was found.</summary>
        public LayoutDifference? Difference;

        /// <summary>The path of the lines in the texts of the difference.</summary>
        public string Path = "";
    }

    /// <summary>A pair of lines to compare.</summary>
    private readonly struct Step(int ours, int theirs, int parent, string via)
    {
        /// <summary>The number of the line of this side.</summary>
        public readonly int Ours = ours;

        /// <summary>The number of the line of the remote side.</summary>
        public readonly int Theirs = theirs;

        /// <summary>The index of the step that contains this message; -1 for the contract itself.</summary>
        public readonly int Parent = parent;

        /// <summary>The path from the containing message.</summary>
        public readonly string Via = via;
    }

    /// <summary>The types of a field on both sides, as far as they were not yet compared.</summary>
    private ref struct CodePair
    {
        public ReadOnlySpan<char> Ours;
        public ReadOnlySpan<char> Theirs;

        /// <summary>The sign with which both types begin; otherwise, or for a number, a space.</summary>
        public readonly char Next => !Ours.IsEmpty && !Theirs.IsEmpty && Ours[0] == Theirs[0] && !LayoutCode.IsSimple(Ours[0]) ? Ours[0] : ' ';

        public readonly void Deconstruct(out ReadOnlySpan<char> ours, out ReadOnlySpan<char> theirs)
        {
            ours = Ours;
            theirs = Theirs;
        }

        public void Skip()
        {
            Ours = Ours.Slice(1);
            Theirs = Theirs.Slice(1);
        }

        public bool TrySkip(char sign)
        {
            if (Next != sign)
                return false;
            Skip();
            return true;
        }
    }
}
