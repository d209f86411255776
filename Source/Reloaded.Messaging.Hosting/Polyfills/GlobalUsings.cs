// Replacements for types that netstandard2.1 lacks or implements in part. A global alias has precedence over the namespaces that a file imports.
global using Reloaded.Messaging.Polyfills;
