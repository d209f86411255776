using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Text;

namespace Reloaded.Messaging.Tests.PublicSurface;

/// <summary>Writes what an assembly shows to others, a line for each type and member, sorted, so that a change to it shows as changed lines.</summary>
public static class SurfaceWriter
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    public static string Write(Assembly assembly)
    {
        var text = new StringBuilder();
        foreach (var type in assembly.GetExportedTypes().OrderBy(static type => type.FullName, StringComparer.Ordinal))
        {
            text.Append(Describe(type)).Append('\n');
            foreach (var line in Members(type).Order(StringComparer.Ordinal))
                text.Append("    ").Append(line).Append('\n');
            text.Append('\n');
        }

        return text.ToString();
    }

    private static string Describe(Type type)
    {
        var name = $"{type.Namespace}.{SurfaceNames.Of(type)}";
        if (IsDelegate(type))
            return $"delegate {Signature(type.GetMethod("Invoke")!, name)}{Constraints(type.GetGenericArguments())}";

        var bases = new List<string>();
        if (type.IsEnum)
            bases.Add(SurfaceNames.Of(Enum.GetUnderlyingType(type)));
        else if (type.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType))
            bases.Add(SurfaceNames.Of(parent));
        if (!type.IsEnum)
            bases.AddRange(type.GetInterfaces().Where(static face => face.IsVisible).Select(SurfaceNames.Of).Order(StringComparer.Ordinal));

        return $"{Keyword(type)} {name}{(bases.Count > 0 ? " : " + string.Join(", ", bases) : "")}{Constraints(type.GetGenericArguments())}";
    }

    private static string Keyword(Type type)
    {
        if (type.IsEnum)
            return "enum";
        if (type.IsInterface)
            return "interface";
        if (type.IsValueType)
        {
            var attributes = type.GetCustomAttributesData().Select(static attribute => attribute.AttributeType.Name).ToArray();
            return (attributes.Contains("IsReadOnlyAttribute") ? "readonly " : "") + (type.IsByRefLike ? "ref " : "") + "struct";
        }

        return (type.IsAbstract, type.IsSealed) switch
        {
            (true, true) => "static class",
            (true, false) => "abstract class",
            (false, true) => "sealed class",
            _ => "class",
        };
    }

    private static IEnumerable<string> Members(Type type)
    {
        if (type.IsEnum)
            return type.GetFields(BindingFlags.Public | BindingFlags.Static).Select(static field => $"{field.GetRawConstantValue(),3} {field.Name}");
        return IsDelegate(type) ? [] : type.GetMembers(Declared).Select(Member).OfType<string>();
    }

    private static string? Member(MemberInfo member) => member switch
    {
        FieldInfo { IsPublic: true } or FieldInfo { IsFamily: true } => Field((FieldInfo)member),
        PropertyInfo property => Property(property),
        EventInfo { AddMethod: { } add } declared when IsVisible(add) => $"{Modifiers(add)}event {SurfaceNames.Of(declared.EventHandlerType!)} {declared.Name}",
        ConstructorInfo constructor when IsVisible(constructor) && !constructor.IsStatic => $"{Modifiers(constructor)}.ctor({Parameters(constructor)})",
        MethodInfo method when IsVisible(method) && !IsAccessor(method) => $"{Modifiers(method)}{Signature(method, method.Name)}{Constraints(method.GetGenericArguments())}",
        _ => null,
    };

    private static string Field(FieldInfo field)
    {
        var kind = field.IsLiteral ? "const " : (field.IsStatic ? "static " : "") + (field.IsInitOnly ? "readonly " : "");
        var value = field.IsLiteral ? " = " + Literal(field.GetRawConstantValue()) : "";
        return $"{(field.IsFamily ? "protected " : "")}{kind}{SurfaceNames.Of(field.FieldType)} {field.Name}{value}";
    }

    private static string? Property(PropertyInfo property)
    {
        var accessors = property.GetAccessors(nonPublic: true).Where(IsVisible).ToArray();
        if (accessors.Length == 0)
            return null;

        var index = property.GetIndexParameters().Length > 0 ? $"[{Parameters(property.GetMethod!)}]" : "";
        var words = new StringBuilder();
        if (property.GetMethod is { } get && IsVisible(get))
            words.Append("get; ");
        if (property.SetMethod is { } set && IsVisible(set))
            words.Append(set.ReturnParameter.GetRequiredCustomModifiers().Any(static modifier => modifier.Name == "IsExternalInit") ? "init; " : "set; ");
        return $"{Modifiers(accessors[0])}{SurfaceNames.Of(property.PropertyType)} {property.Name}{index} {{ {words}}}";
    }

    private static string Signature(MethodInfo method, string name)
    {
        var generic = method.IsGenericMethod ? $"<{string.Join(", ", method.GetGenericArguments().Select(static argument => argument.Name))}>" : "";
        return $"{SurfaceNames.Of(method.ReturnType)} {name}{generic}({Parameters(method)})";
    }

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(static parameter =>
    {
        var type = parameter.ParameterType;
        var passing = !type.IsByRef ? "" : parameter.IsOut ? "out " : parameter.IsIn ? "in " : "ref ";
        var value = parameter.HasDefaultValue ? " = " + Literal(parameter.RawDefaultValue) : "";
        return $"{passing}{SurfaceNames.Of(type.IsByRef ? type.GetElementType()! : type)} {parameter.Name}{value}";
    }));

    private static string Constraints(Type[] arguments)
    {
        var text = new StringBuilder();
        foreach (var argument in arguments.Where(static argument => argument.IsGenericParameter))
        {
            var rules = argument.GetGenericParameterConstraints().Where(static type => type != typeof(ValueType)).Select(SurfaceNames.Of).ToList();
            if (argument.GenericParameterAttributes.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint))
                rules.Insert(0, argument.GetCustomAttributesData().Any(static data => data.AttributeType.Name == "IsUnmanagedAttribute") ? "unmanaged" : "struct");
            if (argument.GenericParameterAttributes.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint))
                rules.Insert(0, "class");
            if (rules.Count > 0)
                text.Append(" where ").Append(argument.Name).Append(" : ").AppendJoin(", ", rules);
        }

        return text.ToString();
    }

    private static string Modifiers(MethodBase method) =>
        (method.IsFamily || method.IsFamilyOrAssembly ? "protected " : "") +
        (method.IsStatic ? "static " : "") +
        (method.DeclaringType!.IsInterface || !method.IsVirtual || method.IsFinal ? "" : method.IsAbstract ? "abstract " : "virtual ");

    private static bool IsVisible(MethodBase method) => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly;

    private static bool IsAccessor(MethodInfo method) => method.IsSpecialName && !method.Name.StartsWith("op_", StringComparison.Ordinal);

    private static bool IsDelegate(Type type) => type.BaseType == typeof(MulticastDelegate);

    private static string Literal(object? value) => value switch
    {
        null => "default",
        string text => $"\"{text}\"",
        bool flag => flag ? "true" : "false",
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };
}
