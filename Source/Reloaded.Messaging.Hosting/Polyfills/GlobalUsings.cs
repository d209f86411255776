// Names that this target lacks, or has less of: an alias goes before what a file imports.
global using Reloaded.Messaging.Hosting.Polyfills;
global using Reloaded.Messaging.Polyfills;
global using AesGcm = Reloaded.Messaging.Hosting.Polyfills.TaggedAesGcm;
global using AsyncMethodBuilderAttribute = Reloaded.Messaging.Hosting.Polyfills.OrdinaryMethodBuilderAttribute;
global using AuthenticationTagMismatchException = System.Security.Cryptography.CryptographicException;
