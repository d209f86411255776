// Names that this target lacks, or has less of: an alias goes before what a file imports.
global using Reloaded.Messaging.Polyfills;
global using AesGcm = Reloaded.Messaging.Polyfills.TaggedAesGcm;
global using AsyncMethodBuilderAttribute = Reloaded.Messaging.Polyfills.OrdinaryMethodBuilderAttribute;
global using AuthenticationTagMismatchException = System.Security.Cryptography.CryptographicException;
