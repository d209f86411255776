using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tool;

/// <summary>Describes faults.</summary>
internal static class FaultText
{
    private static readonly JsonSerializerOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Returns the name or the number of the code, and the text in quotation marks.</summary>
    public static string Describe(RequestFaultException fault) => $"{NameOf(fault.Code)} {JsonSerializer.Serialize(fault.Message, s_options)}";

    private static string NameOf(int code) => code switch
    {
        FaultCode.HandlerFailed => nameof(FaultCode.HandlerFailed),
        FaultCode.NoHandler => nameof(FaultCode.NoHandler),
        FaultCode.InvalidRequest => nameof(FaultCode.InvalidRequest),
        FaultCode.ReplyFailed => nameof(FaultCode.ReplyFailed),
        FaultCode.Canceled => nameof(FaultCode.Canceled),
        FaultCode.TooManyStreams => nameof(FaultCode.TooManyStreams),
        FaultCode.Stopping => nameof(FaultCode.Stopping),
        FaultCode.NoSpace => nameof(FaultCode.NoSpace),
        FaultCode.InvalidPath => nameof(FaultCode.InvalidPath),
        FaultCode.PathInUse => nameof(FaultCode.PathInUse),
        FaultCode.TransferStalled => nameof(FaultCode.TransferStalled),
        FaultCode.OverRate => nameof(FaultCode.OverRate),
        _ => code.ToString(System.Globalization.CultureInfo.InvariantCulture),
    };
}
