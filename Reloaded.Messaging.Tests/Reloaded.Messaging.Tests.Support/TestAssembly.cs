using Reloaded.Messaging.Tests.Support;
using Xunit;

// Compiled into each test project.
[assembly: TestCollectionOrderer(typeof(TestOrder))]
[assembly: TestCaseOrderer(typeof(TestOrder))]
