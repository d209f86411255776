// Names that this target lacks, or has less of: an alias goes before what a file imports.
global using Reloaded.Messaging.Hosting.Polyfills;
global using Reloaded.Messaging.Polyfills;
global using AsyncMethodBuilderAttribute = Reloaded.Messaging.Polyfills.OrdinaryMethodBuilderAttribute;
