// Types that this target lacks or supports only in part. An alias takes precedence over the imports of a file.
global using Reloaded.Messaging.Polyfills;
global using AesGcm = Reloaded.Messaging.Polyfills.TaggedAesGcm;
global using AuthenticationTagMismatchException = System.Security.Cryptography.CryptographicException;
