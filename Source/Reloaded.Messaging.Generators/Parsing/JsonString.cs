using System.Globalization;
using System.Text;

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
            else if (one is < ' ' or '\u007F' || char.IsSurrogate(one))
                text.Append("\\u").Append(((int)one).ToString("x4", CultureInfo.InvariantCulture));
            else
                text.Append(one);
        }

        return text.Append('"').ToString();
    }
}
