using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Finds the most similar of several texts, for the error of a misspelled key.</summary>
internal static class NearestText
{
    /// <summary>Returns the candidate with the least edit distance. Upper and lower case are equal.</summary>
    public static string Find(string text, IReadOnlyList<string> candidates)
    {
        var (nearest, least) = ("", int.MaxValue);
        foreach (var candidate in candidates)
        {
            if (GetDistance(text, candidate) is var distance && distance < least)
                (nearest, least) = (candidate, distance);
        }

        return nearest;
    }

    /// <summary>Returns the number of characters to insert, remove or replace (Levenshtein).</summary>
    private static int GetDistance(string left, string right)
    {
        var row = new int[right.Length + 1];
        for (var j = 0; j < row.Length; j++)
            row[j] = j;
        foreach (var letter in left)
        {
            var diagonal = row[0]++;
            for (var j = 1; j < row.Length; j++)
            {
                var replaced = diagonal + (char.ToUpperInvariant(letter) == char.ToUpperInvariant(right[j - 1]) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(replaced, 1 + Math.Min(row[j], row[j - 1]));
            }
        }

        return row[^1];
    }
}
