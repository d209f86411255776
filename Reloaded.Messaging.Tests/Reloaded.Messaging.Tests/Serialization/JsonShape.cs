using System.Text.Json.Serialization;

namespace Reloaded.Messaging.Tests.Serialization;

/// <summary>A hierarchy of which no message can be made without the discriminator.</summary>
[JsonPolymorphic(TypeDiscriminatorPropertyName = "kind")]
[JsonDerivedType(typeof(Circle), "circle")]
public abstract record JsonShape
{
    public sealed record Circle(double Radius) : JsonShape;
}
