using System.Globalization;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Writes texts as JSON.</summary>
internal static class JsonString
{
    public static string Quote(string value)
    {
        var text = new StringBuilder("\"");
        foreach (var one in value)
        {
            if (one is '"' or '\\')
                text.Append('\\').Append(one);
            else if (char.IsControl(one) || char.IsSurrogate(one) || one is '\u2028' or '\u2029') // the last two end a line of C#, in whose comments a build keeps the schema
                text.Append("\\u").Append(((int)one).ToString("x4", CultureInfo.InvariantCulture));
            else
                text.Append(one);
        }

        return text.Append('"').ToString();
    }
}
