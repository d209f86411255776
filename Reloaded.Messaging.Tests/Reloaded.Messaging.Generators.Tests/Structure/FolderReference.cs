namespace Reloaded.Messaging.Tests.Structure;

/// <summary>A file of one folder that refers to a file of another folder.</summary>
/// <param name="FromFile">The path of the referring file, relative to the project.</param>
/// <param name="ToFile">The path of the file that declares the names.</param>
/// <param name="Names">The names that the referring file uses, sorted.</param>
internal sealed record FolderReference(string FromFile, string ToFile, SortedSet<string> Names)
{
    public override string ToString() => $"{FromFile} -> {ToFile}: {string.Join(", ", Names)}";
}
