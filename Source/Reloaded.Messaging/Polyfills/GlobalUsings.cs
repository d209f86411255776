global using Reloaded.Messaging.Polyfills;
