// A client of Reloaded.Messaging for netstandard2.0 and .NET Framework 4.7.2, in one file of C# 7.3. Clients/csharp2/README.md explains it.
//
// The client starts no thread and never waits: the program calls MessageClient.Poll in each frame. A client belongs to one thread at a time.
// All types are internal, so that two mods can have a copy of this file each.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;

namespace Reloaded.Messaging.Client
{
    // ---- Results ------------------------------------------------------------------------------------------------------------------

    /// <summary>The result of an operation.</summary>
    internal enum ClientStatus
    {
        Ok,

        /// <summary>The server refused the request, or its handler failed. The response has the code and the text.</summary>
        Fault,

        /// <summary>The time limit of the request has passed.</summary>
        TimedOut,

        /// <summary>The connection ended before the reply arrived.</summary>
        ConnectionLost,

        /// <summary>The client is not connected.</summary>
        NotConnected,

        /// <summary>A value to send does not fit its contract, such as a null that the contract excludes, or a request that is sent as an event.</summary>
        InvalidValue,

        /// <summary>A received payload does not fit its contract.</summary>
        InvalidPayload,

        /// <summary>The message exceeds a limit of this side or of the server.</summary>
        TooLarge,

        /// <summary>The bytes that wait to be sent, or the open requests, are at their limit. Try again after a later <see cref="MessageClient.Poll"/>.</summary>
        Full,

        /// <summary>The contract of the message, or of its reply, differs from the contract of the server.</summary>
        WrongContract,

        /// <summary>The client has no contract for the type, the request is no longer open, or there is no such server.</summary>
        Unknown,

        /// <summary>The reply is a stream, which this client does not read. The stream was closed.</summary>
        Stream,

        /// <summary>The client is connected or connecting, or the end of its last connection was not reported yet.</summary>
        AlreadyConnected,

        /// <summary>The text is no endpoint.</summary>
        InvalidEndpoint,

        /// <summary>The address is not a loopback address. This client has no encryption, so it connects to this machine only.</summary>
        NotLocal,

        /// <summary>The token has fewer than 16 bytes.</summary>
        WeakToken,

        /// <summary>Other users can change the entry of a published server.</summary>
        NotPrivate,
    }

    /// <summary>What a client does.</summary>
    internal enum ClientState
    {
        Idle,
        Connecting,
        Connected,

        /// <summary>The connection has ended. The next <see cref="MessageClient.Poll"/> reports it.</summary>
        Ended,
    }

    /// <summary>Why a connection ended, with the numbers of docs/specification/wire-format.md.</summary>
    internal enum DisconnectReason
    {
        Requested, Goodbye, ConnectionLost, HandshakeTimeout, NotAPeer, WrongVersion, WrongToken, WrongContract, TooManyPeers, FrameTooLarge, Malformed, RepliesUnread,
        TooManyRunningHandlers, NotResponding, TlsFailed, WrongProtection, Tampered, NotAuthenticated, Kicked, Idle, TooManyMessages, TooManyBytes, LockedOut,
        TooManyUnauthenticated, TooManyUnauthenticatedFromAddress, TooManyPeersFromAddress, NotReading, WrongOrigin, Banned,
    }

    /// <summary>The codes of faults that the library uses. Codes from 1000 up belong to the program.</summary>
    internal static class FaultCodes
    {
        public const int HandlerFailed = 1, NoHandler = 2, InvalidRequest = 3, ReplyFailed = 4, Canceled = 5, TooManyStreams = 6, Stopping = 7, NoSpace = 8, InvalidPath = 9, PathInUse = 10, TransferStalled = 11, OverRate = 12;
    }

    // ---- Contracts ----------------------------------------------------------------------------------------------------------------

    /// <summary>A request whose reply is a <typeparamref name="TReply"/>.</summary>
    internal interface IRequest<TReply>
    {
    }

    /// <summary>A type of message. <c>reloaded-messaging export --to csharp2</c> writes one for each type of a schema.</summary>
    internal abstract class Contract
    {
        protected Contract(Type type, uint id, int version, string name, string compressor, uint? reply, bool isRequest, ulong[] shape)
        {
            Type = type;
            Id = id;
            Version = version;
            Name = name;
            Compressor = compressor;
            Reply = reply;
            IsRequest = isRequest;
            Shape = shape;
        }

        public Type Type { get; }

        public uint Id { get; }

        public int Version { get; }

        /// <summary>The full name of the type in the program that has the schema.</summary>
        public string Name { get; }

        /// <summary>The name of the compressor's format, or of its class if the schema does not know the format; null if payloads are never compressed.</summary>
        public string Compressor { get; }

        /// <summary>The id of the reply; null if the message is no request, or if its reply is not known.</summary>
        public uint? Reply { get; }

        /// <summary>Whether the schema says that the message is a request. Such a message is not sent or handled as an event.</summary>
        public bool IsRequest { get; }

        /// <summary>The fields, as docs/specification/binary-format.md defines them.</summary>
        public ulong[] Shape { get; }

        internal abstract void PackObject(PayloadWriter writer, object value);

        internal abstract object UnpackObject(PayloadReader reader);
    }

    /// <summary>The contract of <typeparamref name="T"/>.</summary>
    internal sealed class Contract<T> : Contract
        where T : class
    {
        public Contract(uint id, int version, string name, string compressor, uint? reply, bool isRequest, ulong[] shape, Action<PayloadWriter, T> pack, Func<PayloadReader, T> unpack)
            : base(typeof(T), id, version, name, compressor, reply, isRequest, shape)
        {
            Pack = pack;
            Unpack = unpack;
        }

        public Action<PayloadWriter, T> Pack { get; }

        public Func<PayloadReader, T> Unpack { get; }

        /// <summary>Writes the payload of a value.</summary>
        /// <returns><see cref="ClientStatus.Ok"/>, <see cref="ClientStatus.InvalidValue"/> or <see cref="ClientStatus.TooLarge"/>.</returns>
        public ClientStatus TryPack(T value, out byte[] payload)
        {
            var writer = new PayloadWriter();
            writer.Start(int.MaxValue);
            Pack(writer, value);
            payload = writer.Status == ClientStatus.Ok ? writer.ToArray() : null;
            return writer.Status;
        }

        /// <summary>Reads a payload.</summary>
        /// <returns>The value; null if the payload does not fit the contract.</returns>
        public T TryUnpack(byte[] payload)
        {
            var reader = new PayloadReader(payload, 0, payload.Length);
            var value = Unpack(reader);
            return reader.HasFailed ? null : value;
        }

        internal override void PackObject(PayloadWriter writer, object value) => Pack(writer, (T)value);

        internal override object UnpackObject(PayloadReader reader) => Unpack(reader);
    }

    /// <summary>An <c>Int128</c> in two's complement, or a <c>UInt128</c>.</summary>
    internal struct Integer128 : IEquatable<Integer128>
    {
        public ulong Low, High;

        public Integer128(ulong high, ulong low)
        {
            High = high;
            Low = low;
        }

        public bool Equals(Integer128 other) => Low == other.Low && High == other.High;

        public override bool Equals(object obj) => obj is Integer128 && Equals((Integer128)obj);

        public override int GetHashCode() => unchecked(Low.GetHashCode() ^ High.GetHashCode() * 31);
    }

    // ---- Writing payloads ---------------------------------------------------------------------------------------------------------

    /// <summary>Writes a payload. The status is that of the first failed call; later calls do nothing.</summary>
    internal sealed class PayloadWriter
    {
        private byte[] _data = new byte[256];
        private int _limit;
        private int _depth;

        public ClientStatus Status { get; private set; }

        internal byte[] Data => _data;

        internal int Size { get; private set; }

        /// <summary>Begins a payload of at most the given size.</summary>
        internal void Start(int limit)
        {
            _limit = limit;
            _depth = Size = 0;
            Status = ClientStatus.Ok;
        }

        internal byte[] ToArray()
        {
            var copy = new byte[Size];
            Buffer.BlockCopy(_data, 0, copy, 0, Size);
            return copy;
        }

        /// <summary>Fails the writer: a value does not fit its contract.</summary>
        public void Reject() => Fail(ClientStatus.InvalidValue);

        public void WriteByte(byte value)
        {
            if (Reserve(1))
                _data[Size++] = value;
        }

        public void WriteSByte(sbyte value) => WriteByte(unchecked((byte)value));

        public void WriteBoolean(bool value) => WriteByte(value ? (byte)1 : (byte)0);

        public void WriteInt16(short value) => WriteNumber(unchecked((ushort)value), 2);

        public void WriteUInt16(ushort value) => WriteNumber(value, 2);

        public void WriteChar(char value) => WriteNumber(value, 2);

        public void WriteInt32(int value) => WriteNumber(unchecked((uint)value), 4);

        public void WriteUInt32(uint value) => WriteNumber(value, 4);

        public void WriteInt64(long value) => WriteNumber(unchecked((ulong)value), 8);

        public void WriteUInt64(ulong value) => WriteNumber(value, 8);

        public void WriteHalf(float value) => WriteNumber(Bits.ToHalf(value), 2);

        public void WriteSingle(float value) => WriteNumber(Bits.Of(value), 4);

        public void WriteDouble(double value) => WriteInt64(BitConverter.DoubleToInt64Bits(value));

        public void WriteInteger128(Integer128 value)
        {
            WriteNumber(value.Low, 8);
            WriteNumber(value.High, 8);
        }

        public void WriteGuid(Guid value) => WriteBytes(value.ToByteArray());

        public void WriteTimeSpan(TimeSpan value) => WriteInt64(value.Ticks);

        public void WriteDecimal(decimal value)
        {
            foreach (var part in decimal.GetBits(value))
                WriteInt32(part);
        }

        public void WriteDateTime(DateTime value)
        {
            var kind = value.Kind == DateTimeKind.Local ? 2ul : value.Kind == DateTimeKind.Utc ? 1ul : 0;
            WriteUInt64((ulong)(kind == 2 && value != DateTime.MinValue && value != DateTime.MaxValue ? value.ToUniversalTime() : value).Ticks | kind << 62);
        }

        /// <summary>Writes a moment whose offset has at most 14 hours.</summary>
        public void WriteDateTimeOffset(DateTimeOffset value)
        {
            WriteInt64(value.Ticks);
            WriteInt16((short)(value.Offset.Ticks / TimeSpan.TicksPerMinute));
        }

        /// <summary>Writes a <c>DateOnly</c>: a day without a time.</summary>
        public void WriteDate(DateTime value)
        {
            if (value.TimeOfDay != TimeSpan.Zero)
                Reject();
            WriteInt32((int)(value.Ticks / TimeSpan.TicksPerDay));
        }

        /// <summary>Writes a <c>TimeOnly</c>: the time since midnight.</summary>
        public void WriteTime(TimeSpan value)
        {
            if (value.Ticks < 0 || value.Ticks >= TimeSpan.TicksPerDay)
                Reject();
            WriteInt64(value.Ticks);
        }

        public void WriteString(string value, bool isNullable)
        {
            if (value == null)
            {
                WriteNull(isNullable);
                return;
            }

            if (!Utf8.IsValid(value))
                Reject();
            var size = Encoding.UTF8.GetByteCount(value);
            WriteUvarint((uint)size + 1);
            if (Reserve(size))
                Size += Encoding.UTF8.GetBytes(value, 0, value.Length, _data, Size);
        }

        public void WriteUri(Uri value, bool isNullable) => WriteString(value == null ? null : value.OriginalString, isNullable);

        public void WriteVersion(Version value, bool isNullable) => WriteString(value == null ? null : value.ToString(), isNullable);

        public void WriteByteArray(byte[] value, bool isNullable)
        {
            if (WriteCount(value == null ? -1 : value.Length, isNullable))
                WriteBytes(value);
        }

        public void WriteNullable<T>(T? value, Action<PayloadWriter, T> write)
            where T : struct
        {
            WriteBoolean(value.HasValue);
            if (value.HasValue)
                write(this, value.Value);
        }

        /// <summary>Writes a nullable value that is an object here, such as a struct that is a message.</summary>
        public void WriteOptional<T>(T value, Action<PayloadWriter, T> write)
            where T : class
        {
            WriteBoolean(value != null);
            if (value != null)
                write(this, value);
        }

        public void WriteList<T>(List<T> value, bool isNullable, Action<PayloadWriter, T> write)
        {
            if (!WriteCount(value == null ? -1 : value.Count, isNullable))
                return;
            for (var i = 0; i < value.Count && Status == ClientStatus.Ok; i++)
                write(this, value[i]);
        }

        public void WriteSet<T>(HashSet<T> value, bool isNullable, Action<PayloadWriter, T> write)
        {
            if (!WriteCount(value == null ? -1 : value.Count, isNullable))
                return;
            foreach (var item in value)
            {
                if (Status != ClientStatus.Ok)
                    return;
                write(this, item);
            }
        }

        public void WriteDictionary<TKey, TValue>(Dictionary<TKey, TValue> value, bool isNullable, Action<PayloadWriter, TKey> writeKey, Action<PayloadWriter, TValue> writeValue)
        {
            if (!WriteCount(value == null ? -1 : value.Count, isNullable))
                return;
            foreach (var pair in value)
            {
                if (Status != ClientStatus.Ok)
                    return;
                writeKey(this, pair.Key);
                writeValue(this, pair.Value);
            }
        }

        /// <summary>Writes a message inside another one.</summary>
        public void WriteMessage<T>(T value, bool isNullable, Action<PayloadWriter, T> pack)
            where T : class
        {
            if (value == null)
                WriteNull(isNullable);
            else
                WriteSized(value, pack);
        }

        /// <summary>Writes a field of a version-tolerant message.</summary>
        public void WriteField<T>(uint number, T value, Action<PayloadWriter, T> write)
        {
            WriteUvarint(number);
            WriteSized(value, write);
        }

        public void WriteUvarint(uint value)
        {
            if (Reserve(5))
                Size = Wire.PutUvarint(_data, Size, value);
        }

        internal void WriteBytes(byte[] value) => WriteBytes(value, 0, value.Length);

        internal void WriteBytes(byte[] value, int start, int size)
        {
            if (!Reserve(size))
                return;
            Buffer.BlockCopy(value, start, _data, Size, size);
            Size += size;
        }

        private void WriteSized<T>(T value, Action<PayloadWriter, T> write)
        {
            if (++_depth >= Wire.MaxDepth)
                Reject(); // the objects may form a circle
            var start = Size;
            if (Status == ClientStatus.Ok)
                write(this, value);
            _depth--;
            var length = Size - start;
            if (!Reserve(5))
                return;
            var prefix = Wire.SizeOfUvarint((uint)length + 1);
            Buffer.BlockCopy(_data, start, _data, start + prefix, length);
            Wire.PutUvarint(_data, start, (uint)length + 1);
            Size += prefix;
        }

        /// <summary>Writes the count of a collection, which is -1 for null. Returns whether items follow.</summary>
        private bool WriteCount(int count, bool isNullable)
        {
            if (count < 0)
                WriteNull(isNullable);
            else
                WriteUvarint((uint)count + 1);
            return count > 0 && Status == ClientStatus.Ok;
        }

        private void WriteNull(bool isNullable)
        {
            if (!isNullable)
                Reject();
            WriteByte(0);
        }

        private void WriteNumber(ulong value, int size)
        {
            if (!Reserve(size))
                return;
            for (var i = 0; i < size; i++, value >>= 8)
                _data[Size++] = (byte)(value & 0xFF);
        }

        private void Fail(ClientStatus status)
        {
            if (Status == ClientStatus.Ok)
                Status = status;
        }

        private bool Reserve(int size)
        {
            if (Status != ClientStatus.Ok)
                return false;
            if (size > _limit - Size)
            {
                Fail(ClientStatus.TooLarge);
                return false;
            }

            if (size > _data.Length - Size)
                Array.Resize(ref _data, (int)Math.Min(int.MaxValue - 64, Math.Max(2L * _data.Length, (long)Size + size)));
            return true;
        }
    }

    // ---- Reading payloads ---------------------------------------------------------------------------------------------------------

    /// <summary>Reads a payload. It never throws: after the first value that is invalid, each call returns zero or null.</summary>
    internal sealed class PayloadReader
    {
        private const long LastTick = 3155378975999999999;

        private readonly byte[] _data;
        private int _position;
        private int _end;
        private int _depth;
        private long _budget;

        public PayloadReader(byte[] data, int start, int size)
        {
            _data = data;
            _position = start;
            _end = start + size;
            _budget = 4096 + 32L * size;
        }

        public bool HasFailed { get; private set; }

        /// <summary>Whether no byte is left in the message, or the reader has failed.</summary>
        public bool IsAtEnd => _position == _end;

        internal int Position => _position;

        internal int Left => _end - _position;

        /// <summary>Fails the reader: the payload does not fit its contract.</summary>
        public void Fail()
        {
            HasFailed = true;
            _end = _position;
        }

        public byte ReadByte() => (byte)ReadNumber(1);

        public sbyte ReadSByte() => unchecked((sbyte)ReadNumber(1));

        public bool ReadBoolean()
        {
            var value = ReadByte();
            if (value > 1)
                Fail();
            return value == 1;
        }

        public short ReadInt16() => unchecked((short)ReadNumber(2));

        public ushort ReadUInt16() => (ushort)ReadNumber(2);

        public char ReadChar() => (char)ReadNumber(2);

        public int ReadInt32() => unchecked((int)ReadNumber(4));

        public uint ReadUInt32() => (uint)ReadNumber(4);

        public long ReadInt64() => unchecked((long)ReadNumber(8));

        public ulong ReadUInt64() => ReadNumber(8);

        public float ReadHalf() => Bits.FromHalf(ReadUInt16());

        public float ReadSingle() => Bits.ToSingle(ReadUInt32());

        public double ReadDouble() => BitConverter.Int64BitsToDouble(ReadInt64());

        public Integer128 ReadInteger128()
        {
            var low = ReadUInt64();
            return new Integer128(ReadUInt64(), low);
        }

        public Guid ReadGuid()
        {
            int start;
            if (!Take(16, out start))
                return Guid.Empty;
            var bytes = new byte[16];
            Buffer.BlockCopy(_data, start, bytes, 0, 16);
            return new Guid(bytes);
        }

        public TimeSpan ReadTimeSpan() => new TimeSpan(ReadInt64());

        public decimal ReadDecimal()
        {
            int low = ReadInt32(), middle = ReadInt32(), high = ReadInt32(), flags = ReadInt32();
            if ((flags & 0x7F00FFFF) != 0 || (flags >> 16 & 0xFF) > 28)
            {
                Fail();
                return 0;
            }

            return new decimal(low, middle, high, flags < 0, (byte)(flags >> 16 & 0xFF));
        }

        public DateTime ReadDateTime()
        {
            var bits = ReadUInt64();
            var ticks = (long)(bits & (1ul << 62) - 1);
            var kind = bits >> 62;
            if (ticks > LastTick || kind > 2)
            {
                Fail();
                return default(DateTime);
            }

            return kind == 2 && ticks != 0 && ticks != DateTime.MaxValue.Ticks ? new DateTime(ticks, DateTimeKind.Utc).ToLocalTime() : new DateTime(ticks, (DateTimeKind)kind);
        }

        public DateTimeOffset ReadDateTimeOffset()
        {
            var ticks = ReadInt64();
            var minutes = ReadInt16();
            var moment = unchecked(ticks - minutes * TimeSpan.TicksPerMinute); // the ticks are checked, too
            if (minutes < -840 || minutes > 840 || ticks < 0 || ticks > LastTick || moment < 0 || moment > LastTick)
            {
                Fail();
                return default(DateTimeOffset);
            }

            return new DateTimeOffset(ticks, new TimeSpan(minutes * TimeSpan.TicksPerMinute));
        }

        public DateTime ReadDate()
        {
            var days = ReadUInt32();
            if (days > 3652058)
                Fail();
            return HasFailed ? default(DateTime) : new DateTime(days * TimeSpan.TicksPerDay);
        }

        public TimeSpan ReadTime()
        {
            var ticks = ReadUInt64();
            if (ticks >= TimeSpan.TicksPerDay)
                Fail();
            return HasFailed ? TimeSpan.Zero : new TimeSpan((long)ticks);
        }

        public string ReadString(bool isNullable)
        {
            int size, start;
            if (!ReadLength(isNullable, out size) || !Take(size, out start))
                return null;
            if (Utf8.IsValid(_data, start, size))
                return Encoding.UTF8.GetString(_data, start, size);
            Fail();
            return null;
        }

        public Uri ReadUri(bool isNullable)
        {
            Uri value = null;
            var text = ReadString(isNullable);
            if (text != null && (!Spend(8) || !Uri.TryCreate(text, UriKind.RelativeOrAbsolute, out value)))
                Fail();
            return value;
        }

        public Version ReadVersion(bool isNullable)
        {
            Version value = null;
            var text = ReadString(isNullable);
            if (text != null && (!Spend(32) || !Version.TryParse(text, out value)))
                Fail();
            return value;
        }

        public byte[] ReadByteArray(bool isNullable)
        {
            int size, start;
            if (!ReadLength(isNullable, out size) || !Spend(size) || !Take(size, out start))
                return null;
            var value = new byte[size];
            Buffer.BlockCopy(_data, start, value, 0, size);
            return value;
        }

        public T? ReadNullable<T>(Func<PayloadReader, T> read)
            where T : struct
        {
            return ReadBoolean() ? read(this) : (T?)null;
        }

        public T ReadOptional<T>(Func<PayloadReader, T> read)
            where T : class
        {
            return ReadBoolean() ? read(this) : null;
        }

        /// <param name="isNullable">Whether the contract allows null.</param>
        /// <param name="cost">The cost of an item, as docs/specification/binary-format.md defines it.</param>
        /// <param name="read">Reads an item.</param>
        public List<T> ReadList<T>(bool isNullable, int cost, Func<PayloadReader, T> read)
        {
            int count;
            if (!ReadLength(isNullable, out count) || !Spend((long)count * cost))
                return null;
            var value = new List<T>(count);
            for (; count > 0 && !HasFailed; count--)
                value.Add(read(this));
            return value;
        }

        public HashSet<T> ReadSet<T>(bool isNullable, int cost, Func<PayloadReader, T> read)
        {
            int count;
            if (!ReadLength(isNullable, out count) || !Spend((long)count * cost))
                return null;
            var keys = new KeyComparer<T>(count);
            var value = new HashSet<T>(keys.Comparer);
            for (; count > 0 && !HasFailed; count--)
            {
                var item = read(this);
                if (!HasFailed && (!keys.TryStep(item) || !value.Add(item)))
                    Fail();
            }

            return value;
        }

        public Dictionary<TKey, TValue> ReadDictionary<TKey, TValue>(bool isNullable, int cost, Func<PayloadReader, TKey> readKey, Func<PayloadReader, TValue> readValue)
        {
            int count;
            if (!ReadLength(isNullable, out count) || !Spend((long)count * cost))
                return null;
            var keys = new KeyComparer<TKey>(count);
            var value = new Dictionary<TKey, TValue>(count, keys.Comparer);
            for (; count > 0 && !HasFailed; count--)
            {
                var key = readKey(this);
                var item = readValue(this);
                if (HasFailed)
                    break;
                if (key == null || !keys.TryStep(key) || value.ContainsKey(key))
                    Fail();
                else
                    value.Add(key, item);
            }

            return value;
        }

        /// <summary>Reads a message inside another one.</summary>
        public T ReadMessage<T>(bool isNullable, int cost, Func<PayloadReader, T> unpack)
            where T : class
        {
            int size;
            if (!ReadLength(isNullable, out size) || !Spend(cost))
                return null;
            var outer = Enter(size);
            var value = HasFailed ? null : unpack(this);
            Leave(outer);
            return value;
        }

        /// <summary>Enters the next field of a version-tolerant message, whose number is larger than the last one.</summary>
        public bool EnterField(ref long number, out int outer)
        {
            int size;
            var next = ReadUvarint();
            if (!HasFailed && next <= number)
                Fail();
            if (!ReadLength(false, out size) || size == 0)
            {
                Fail();
                outer = _end;
                return false;
            }

            number = next;
            outer = Enter(size);
            return !HasFailed;
        }

        /// <summary>Leaves a field. A known field has no bytes after its value.</summary>
        public void LeaveField(int outer, bool isKnown)
        {
            if (isKnown && !IsAtEnd)
                Fail();
            Leave(outer);
        }

        public uint ReadUvarint()
        {
            uint value = 0;
            if (HasFailed || Wire.ReadUvarint(_data, ref _position, _end, out value) != HeaderVerdict.Ok)
                Fail();
            return value;
        }

        /// <summary>Reads a length or a count, which is one less than the number on the wire. Returns false for null, and after a failure.</summary>
        internal bool ReadLength(bool isNullable, out int length)
        {
            var number = ReadUvarint();
            length = 0;
            if (HasFailed || number == 0 && !isNullable || number > (uint)Left + 1)
            {
                Fail();
                return false;
            }

            length = (int)number - 1;
            return number > 0;
        }

        internal bool Take(int size, out int start)
        {
            start = _position;
            if (HasFailed || size > Left)
            {
                Fail();
                return false;
            }

            _position += size;
            return true;
        }

        private int Enter(int size)
        {
            var outer = _end;
            _end = _position + size;
            if (++_depth >= Wire.MaxDepth)
                Fail();
            return outer;
        }

        private void Leave(int outer)
        {
            _depth--;
            if (HasFailed)
                return;
            _position = _end;
            _end = outer;
        }

        /// <summary>Takes the memory of a value from the budget of the payload.</summary>
        public bool Spend(long cost)
        {
            _budget -= cost;
            if (_budget < 0)
                Fail();
            return _budget >= 0;
        }

        private ulong ReadNumber(int size)
        {
            int start;
            if (!Take(size, out start))
                return 0;
            ulong value = 0;
            for (var i = size - 1; i >= 0; i--)
                value = value << 8 | _data[start + i];
            return value;
        }
    }

    /// <summary>Compares the keys of a large dictionary or set by hashes that another program cannot compute, and finds keys that were chosen to have one hash.</summary>
    internal sealed class KeyComparer<T> : IEqualityComparer<T>
    {
        private const int Unwatched = 256;
        private const int StepsPerKey = 256;

        private readonly int[] _chains;
        private long _left;

        public KeyComparer(int count)
        {
            if (count <= Unwatched)
                return;
            var size = Unwatched;
            while (size < count)
                size *= 2;
            _chains = new int[size];
            _left = (long)StepsPerKey * count;
        }

        /// <summary>The comparer of the collection; null for a small one.</summary>
        public IEqualityComparer<T> Comparer => _chains == null ? null : new KeyComparer<T>(0);

        /// <summary>Counts the addition of a key. Returns false if the keys collide.</summary>
        public bool TryStep(T key) => _chains == null || (_left -= _chains[GetHashCode(key) & _chains.Length - 1]++) >= 0;

        public bool Equals(T x, T y) => EqualityComparer<T>.Default.Equals(x, y);

        public int GetHashCode(T obj) => KeyHash.Of(obj);
    }

    /// <summary>Hash codes that a sender cannot foresee, of all bits of a key. The ordinary hash code of a number of 64 bits is one half xor the other half.</summary>
    internal sealed class KeyHash : System.Collections.IEqualityComparer
    {
        private static readonly KeyHash s_items = new KeyHash();
        private static readonly ulong s_seed = BitConverter.ToUInt64(Guid.NewGuid().ToByteArray(), 0);

        public static int Of(object key)
        {
            unchecked
            {
                var hash = Bits(key) ^ s_seed;
                hash = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15;
                hash = (hash ^ hash >> 29) * 0xBF58476D1CE4E5B9;
                return (int)(hash ^ hash >> 32);
            }
        }

        bool System.Collections.IEqualityComparer.Equals(object x, object y) => object.Equals(x, y);

        int System.Collections.IEqualityComparer.GetHashCode(object obj) => Of(obj);

        private static ulong Bits(object key)
        {
            unchecked
            {
                if (key is long)
                    return (ulong)(long)key;
                if (key is ulong)
                    return (ulong)key;
                if (key is DateTime)
                    return (ulong)((DateTime)key).Ticks;
                if (key is TimeSpan)
                    return (ulong)((TimeSpan)key).Ticks;
                if (key is double)
                    return (ulong)BitConverter.DoubleToInt64Bits(double.IsNaN((double)key) ? double.NaN : (double)key + 0.0); // -0.0 is equal to 0.0
                if (key is Guid)
                {
                    var bytes = ((Guid)key).ToByteArray();
                    return BitConverter.ToUInt64(bytes, 0) * 0x94D049BB133111EB ^ BitConverter.ToUInt64(bytes, 8) ^ s_seed * 31;
                }

                if (key is Enum)
                {
                    var number = (IConvertible)key;
                    return number.GetTypeCode() == TypeCode.UInt64 ? number.ToUInt64(null) : (ulong)number.ToInt64(null);
                }

                var tuple = key as System.Collections.IStructuralEquatable;
                return tuple != null && !(key is Array) ? (uint)tuple.GetHashCode(s_items) : key == null ? 0 : (uint)key.GetHashCode();
            }
        }
    }

    // ---- Bytes --------------------------------------------------------------------------------------------------------------------

    /// <summary>The bits of floats, which netstandard2.0 has for doubles only.</summary>
    internal static class Bits
    {
        public static uint Of(float value) => new Union { Value = value }.Number;

        public static float ToSingle(uint bits) => new Union { Number = bits }.Value;

        public static float FromHalf(ushort half)
        {
            uint sign = (uint)(half & 0x8000) << 16, exponent = (uint)half >> 10 & 31, fraction = half & 0x3FFu;
            if (exponent == 0)
                return fraction * 5.9604645E-8f * (sign == 0 ? 1 : -1); // of 2^-24
            return ToSingle(sign | (exponent == 31 ? 0x7F800000 : exponent + 112 << 23) | fraction << 13);
        }

        /// <summary>Rounds to the nearest <c>Half</c>, and to an even one from the middle.</summary>
        public static ushort ToHalf(float value)
        {
            uint bits = Of(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7FFFFFFF;
            if (rest > 0x7F800000)
                return (ushort)(sign | 0x7C00 | ((rest >> 13 & 0x3FF) == 0 ? 0x200 : rest >> 13 & 0x3FF)); // not a number
            if (rest >= 0x47800000)
                return (ushort)(sign | 0x7C00);
            if (rest < 0x33000000)
                return (ushort)sign;
            uint number = unchecked(rest - 0x38000000);
            var shift = 13;
            if (rest < 0x38800000)
            {
                shift = 126 - (int)(rest >> 23);
                number = rest & 0x7FFFFF | 0x800000;
            }

            uint half = number >> shift, middle = 1u << shift - 1, cut = number & (1u << shift) - 1;
            return (ushort)(sign | (cut > middle || cut == middle && (half & 1) != 0 ? half + 1 : half));
        }

        [StructLayout(LayoutKind.Explicit)]
        private struct Union
        {
            [FieldOffset(0)]
            public float Value;

            [FieldOffset(0)]
            public uint Number;
        }
    }

    /// <summary>Strict UTF-8.</summary>
    internal static class Utf8
    {
        public static bool IsValid(byte[] data, int start, int size)
        {
            for (int i = start, end = start + size; i < end;)
            {
                var first = data[i++];
                if (first < 0x80)
                    continue;
                var more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
                if (first < 0xC2 || first > 0xF4 || more > end - i)
                    return false;
                var second = data[i];
                if (first == 0xE0 && second < 0xA0 || first == 0xED && second > 0x9F || first == 0xF0 && second < 0x90 || first == 0xF4 && second > 0x8F)
                    return false;
                for (; more > 0; more--)
                {
                    if ((data[i++] & 0xC0) != 0x80)
                        return false;
                }
            }

            return true;
        }

        /// <summary>Returns whether a text has no half of a surrogate pair.</summary>
        public static bool IsValid(string text)
        {
            for (var i = 0; i < text.Length; i++)
            {
                if (!char.IsSurrogate(text[i]))
                    continue;
                if (i + 1 == text.Length || !char.IsSurrogatePair(text[i], text[i + 1]))
                    return false;
                i++;
            }

            return true;
        }

        /// <summary>Returns the bytes of the beginning of a text; no bytes for a text that is not valid.</summary>
        public static byte[] Encode(string text, int most)
        {
            if (string.IsNullOrEmpty(text) || !IsValid(text))
                return new byte[0];
            var bytes = Encoding.UTF8.GetBytes(text);
            if (bytes.Length <= most)
                return bytes;
            while ((bytes[most] & 0xC0) == 0x80)
                most--;
            Array.Resize(ref bytes, most);
            return bytes;
        }

        /// <summary>Returns a text for people, without control characters; an empty text for bytes that are not valid.</summary>
        public static string Decode(byte[] data, int start, int size)
        {
            if (!IsValid(data, start, size))
                return "";
            var text = new StringBuilder(Encoding.UTF8.GetString(data, start, size));
            for (var i = 0; i < text.Length; i++)
            {
                if (char.IsControl(text[i]))
                    text[i] = '?';
            }

            return text.ToString();
        }
    }

    /// <summary>LZ4 blocks.</summary>
    internal static class Lz4
    {
        /// <summary>Decompresses a bare block. Returns whether it has exactly the given size after decompression.</summary>
        public static bool TryDecompress(byte[] block, int at, int blockSize, byte[] output, int size)
        {
            int end = at + blockSize, written = 0;
            while (at < end)
            {
                int token = block[at++], literals = token >> 4, match = token & 15;
                if (!ReadLength(block, end, ref at, ref literals) || literals > end - at || literals > size - written)
                    return false;
                Buffer.BlockCopy(block, at, output, written, literals);
                at += literals;
                written += literals;
                if (at == end)
                    return written == size && match == 0;
                if (end - at < 2)
                    return false;
                var offset = block[at] | block[at + 1] << 8;
                at += 2;
                if (!ReadLength(block, end, ref at, ref match) || offset == 0 || offset > written || match > size - written - 4)
                    return false;
                for (match += 4; match > 0; match--, written++)
                    output[written] = output[written - offset]; // they may overlap
            }

            return false;
        }

        /// <summary>Reads the bytes after a length of 15. A block has less than 2^23 of them, so the sum does not overflow.</summary>
        private static bool ReadLength(byte[] block, int end, ref int at, ref int length)
        {
            if (length < 15)
                return true;
            for (var count = 0; at < end && count < 1 << 23; count++)
            {
                var more = block[at++];
                length += more;
                if (more < 255)
                    return true;
            }

            return false;
        }
    }

    // ---- Frames and headers -------------------------------------------------------------------------------------------------------

    internal enum MessageKind
    {
        Event, Request, Reply, Fault, Control,
    }

    /// <summary>The verdicts on headers and numbers, with the names that docs/specification/wire-format.md uses.</summary>
    internal enum HeaderVerdict
    {
        Ok, Empty, Truncated, BadVarint, ReservedBits, ReservedKind, NotShortest, SizeOutOfRange,
    }

    internal enum FrameStatus
    {
        Ok, Incomplete, Malformed, TooLarge,
    }

    /// <summary>The header of a message.</summary>
    internal struct MessageHeader
    {
        /// <summary>The type; the opcode of a control message.</summary>
        public uint Type;
        public MessageKind Kind;
        public uint Correlation;
        public bool IsCompressed;

        /// <summary>The size of the payload after decompression.</summary>
        public uint Size;

        public bool HasCorrelation => Kind != MessageKind.Event && Kind != MessageKind.Control;
    }

    /// <summary>The bytes of frames and headers. These functions are useful without a connection, such as for recordings and tests.</summary>
    internal static class Wire
    {
        public const int LargestSize = int.MaxValue;
        public const int MaxHeader = 17;
        public const int MaxControl = 256 * 1024;
        public const int MaxDepth = 64;

        public static HeaderVerdict ReadUvarint(byte[] data, ref int position, int end, out uint value)
        {
            value = 0;
            var at = position;
            for (var shift = 0; at < end; shift += 7)
            {
                var one = data[at++];
                if (one < 0x80)
                {
                    if (shift > 0 && (one == 0 || shift == 28 && one > 0x0F))
                        return HeaderVerdict.BadVarint;
                    value |= (uint)one << shift;
                    position = at;
                    return HeaderVerdict.Ok;
                }

                if (shift == 28)
                    return HeaderVerdict.BadVarint;
                value |= (uint)(one & 0x7F) << shift;
            }

            return HeaderVerdict.Truncated;
        }

        public static int SizeOfUvarint(uint value) => value < 1u << 7 ? 1 : value < 1u << 14 ? 2 : value < 1u << 21 ? 3 : value < 1u << 28 ? 4 : 5;

        /// <summary>Writes a number, and returns the position after it.</summary>
        public static int PutUvarint(byte[] data, int position, uint value)
        {
            for (; value >= 0x80; value >>= 7)
                data[position++] = (byte)(value & 0x7F | 0x80);
            data[position++] = (byte)value;
            return position;
        }

        /// <summary>Reads the header of a message, and moves the position to the payload.</summary>
        public static HeaderVerdict ReadHeader(byte[] data, ref int position, int end, out MessageHeader header)
        {
            header = default(MessageHeader);
            if (position == end)
                return HeaderVerdict.Empty;
            int start = position, size = end - position, at = start + 1;
            header.IsCompressed = data[start] >= 0x80;
            header.Type = data[start] & 0x7Fu;
            if (header.Type < 127)
            {
                if (header.IsCompressed)
                {
                    if (size < 5)
                        return HeaderVerdict.Truncated;
                    header.Size = unchecked((uint)(data[at] | data[at + 1] << 8 | data[at + 2] << 16 | data[at + 3] << 24));
                    at += 4;
                }
            }
            else
            {
                if (size < 2)
                    return HeaderVerdict.Truncated;
                var kind = data[at++];
                if ((kind & 0xF8) != 0)
                    return HeaderVerdict.ReservedBits;
                if (kind > (byte)MessageKind.Control)
                    return HeaderVerdict.ReservedKind;
                header.Kind = (MessageKind)kind;
                var verdict = ReadUvarint(data, ref at, end, out header.Type);
                if (verdict == HeaderVerdict.Ok && header.Kind == MessageKind.Event && header.Type < 127)
                    return HeaderVerdict.NotShortest;
                if (verdict == HeaderVerdict.Ok && header.HasCorrelation)
                    verdict = ReadUvarint(data, ref at, end, out header.Correlation);
                if (verdict == HeaderVerdict.Ok && header.IsCompressed)
                    verdict = ReadUvarint(data, ref at, end, out header.Size);
                if (verdict != HeaderVerdict.Ok)
                    return verdict;
            }

            position = at;
            return header.Size > LargestSize ? HeaderVerdict.SizeOutOfRange : HeaderVerdict.Ok;
        }

        /// <summary>Writes a header.</summary>
        public static void WriteHeader(PayloadWriter writer, MessageHeader header)
        {
            var flag = header.IsCompressed ? 0x80 : 0;
            if (header.Kind == MessageKind.Event && header.Type < 127)
            {
                writer.WriteByte((byte)(flag | (int)header.Type));
                if (header.IsCompressed)
                    writer.WriteUInt32(header.Size);
                return;
            }

            writer.WriteByte((byte)(flag | 0x7F));
            writer.WriteByte((byte)header.Kind);
            writer.WriteUvarint(header.Type);
            if (header.HasCorrelation)
                writer.WriteUvarint(header.Correlation);
            if (header.IsCompressed)
                writer.WriteUvarint(header.Size);
        }

        /// <summary>Reads the length of the next frame, and moves the position to its message. A control message may have more bytes than the limit.</summary>
        public static FrameStatus ReadFrame(byte[] data, ref int position, int end, int limit, int controlLimit, out int size)
        {
            uint length;
            var at = position;
            var verdict = ReadUvarint(data, ref at, end, out length);
            size = 0;
            if (verdict != HeaderVerdict.Ok)
                return verdict == HeaderVerdict.Truncated ? FrameStatus.Incomplete : FrameStatus.Malformed;
            if (length == 0)
                return FrameStatus.Malformed;
            if (length > limit)
            {
                var mayBeControl = (end - at < 1 || data[at] == 0x7F) && (end - at < 2 || data[at + 1] == (byte)MessageKind.Control);
                if (!mayBeControl || length > controlLimit)
                    return FrameStatus.TooLarge;
            }

            if (end - at < length)
                return FrameStatus.Incomplete;
            position = at;
            size = (int)length;
            return FrameStatus.Ok;
        }

        /// <summary>Reads the payload of a fault.</summary>
        public static bool TryReadFault(byte[] data, int start, int size, out int code, out string text)
        {
            uint number;
            var at = start;
            code = 0;
            text = "";
            if (ReadUvarint(data, ref at, start + size, out number) != HeaderVerdict.Ok || number > LargestSize || !Utf8.IsValid(data, at, start + size - at))
                return false;
            code = (int)number;
            text = Encoding.UTF8.GetString(data, at, start + size - at);
            return true;
        }
    }

    // ---- Requests -----------------------------------------------------------------------------------------------------------------

    /// <summary>How a request of this side has ended.</summary>
    internal sealed class Response<TReply>
    {
        public ClientStatus Status { get; internal set; }

        /// <summary>The reply, if the status is <see cref="ClientStatus.Ok"/>; null for an acknowledgement.</summary>
        public TReply Value { get; internal set; }

        /// <summary>The code of a fault.</summary>
        public int Code { get; internal set; }

        /// <summary>The text of a fault, which may contain any character.</summary>
        public string Text { get; internal set; }
    }

    /// <summary>A request of this side.</summary>
    internal sealed class SentRequest
    {
        internal MessageClient Client;
        internal uint Id;
        internal long Deadline;
        internal Contract Contract;
        internal Type ReplyType;
        internal Action<ClientStatus, object, int, string> End;

        /// <summary>Whether the request was sent. If not, its callback is never called.</summary>
        public ClientStatus Status { get; internal set; }

        /// <summary>Ends the request without a call of its callback. The handler of the server is told.</summary>
        /// <returns><see cref="ClientStatus.Ok"/>; <see cref="ClientStatus.Unknown"/> if the request is not open.</returns>
        public ClientStatus Cancel() => Client == null ? ClientStatus.Unknown : Client.Cancel(this);
    }

    /// <summary>A request of the server. Answer it with one of the three methods, in the handler or later.</summary>
    internal sealed class ReceivedRequest
    {
        internal MessageClient Client;
        internal uint Id;
        internal Contract Contract;

        /// <summary>Called when the server no longer waits for the reply. Answer with <see cref="FaultCodes.Canceled"/>.</summary>
        public Action Canceled { get; set; }

        /// <summary>Whether the server no longer waits for the reply.</summary>
        public bool IsCanceled { get; internal set; }

        public ClientStatus Reply(object message) => Client.Answer(this, MessageKind.Reply, message, 0, null);

        /// <summary>Answers a request that has no other reply.</summary>
        public ClientStatus Acknowledge() => Client.Answer(this, MessageKind.Reply, null, 0, null);

        public ClientStatus Fault(int code, string text) => Client.Answer(this, MessageKind.Fault, null, code, text);
    }

    // ---- Client -------------------------------------------------------------------------------------------------------------------

    /// <summary>A connection to a host on this machine, over TCP.</summary>
    internal sealed class MessageClient : IDisposable
    {
        public const int PingInterval = 2000;
        public const int KeepAlive = 15000;
        public const int MaxUnreadable = 16;

        private const uint OpHello = 0, OpPing = 1, OpPong = 2, OpGoodbye = 3, OpCancel = 4;
        private const uint TypeStream = 0xFFFF0020, TypeBlock = 0xFFFF0021, TypeItemBlock = 0xFFFF0029, TypeAcknowledgement = 0xFFFF0040;
        private const uint OwnIds = 0x80000000; // of requests that close a stream
        private const string Serializer = "binary";
        private const int MaxContracts = 4096, MaxPing = 64, MaxText = 1024, MaxFaultText = 1000, MaxName = 200;
        private const int MaxMessagesInPoll = 256;

        private static readonly byte[] s_magic = { (byte)'R', (byte)'L', (byte)'M', (byte)'3', 1 };
        private static readonly byte[] s_later = { 2, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1, 1, 0, 0, 0, 0, 1 };
        private static readonly byte[] s_nothing = new byte[0];

        private readonly Dictionary<uint, Entry> _entries = new Dictionary<uint, Entry>();
        private readonly Dictionary<Type, Entry> _types = new Dictionary<Type, Entry>();
        private readonly Dictionary<uint, SentRequest> _requests = new Dictionary<uint, SentRequest>();
        private readonly Dictionary<uint, ReceivedRequest> _answers = new Dictionary<uint, ReceivedRequest>();
        private readonly PayloadWriter _writer = new PayloadWriter();
        private readonly byte[] _nonce = new byte[16], _remoteNonce = new byte[16];
        private int _maxMessage = 1 << 20, _sendCapacity = 1 << 20, _maxRequests = 64;
        private byte[] _token;
        private byte[] _in = new byte[1 << 14], _out = new byte[1 << 12], _plain = s_nothing, _announcement = s_nothing;
        private int _inStart, _inEnd, _outStart, _outEnd;
        private Socket _socket;
        private bool _isSocketConnected, _isPolling;
        private Step _step;
        private int _limit, _remoteLimit, _unreadable, _connection;
        private uint _lastId, _lastOwnId;
        private long _lastPoll, _lastReceived, _nextPing, _handshakeDeadline, _nextDeadline;

        /// <param name="contracts">Every contract that the program sends or receives, such as <c>Contracts.All</c> of exported code.</param>
        public MessageClient(IEnumerable<Contract> contracts)
        {
            foreach (var contract in contracts)
            {
                var entry = new Entry { Contract = contract };
                _entries.Add(contract.Id, entry);
                _types.Add(contract.Type, entry);
            }
        }

        private enum Step
        {
            Hello, Proof, Contracts,
        }

        /// <summary>Called by <see cref="Poll"/> when the server has accepted the client.</summary>
        public Action Connected { get; set; }

        /// <summary>Called once for each <see cref="Connect"/> that returned Ok, when the connection has ended or was refused. The open requests have ended before. The text is the server's.</summary>
        public Action<DisconnectReason, string> Disconnected { get; set; }

        /// <summary>Called with the exception of a callback. If it is null, <see cref="Poll"/> throws the exception.</summary>
        public Action<Exception> CallbackFailed { get; set; }

        /// <summary>Decompresses a payload whose contract names a compressor other than "lz4": from the name, the bytes and the size after decompression. Returns null for corrupt bytes.</summary>
        public Func<string, byte[], int, byte[]> Decompress { get; set; }

        public ClientState State { get; private set; }

        public bool IsConnected => State == ClientState.Connected;

        /// <summary>The reason of the last end.</summary>
        public DisconnectReason Reason { get; private set; }

        public string ReasonText { get; private set; } = "";

        /// <summary>The bytes of a received message, plain and after decompression (128 and more; default: 1 MiB), for the next connection.</summary>
        public int MaxMessage
        {
            get { return _maxMessage; }
            set { _maxMessage = AtLeast(128, Math.Min(value, 1 << 30), nameof(MaxMessage)); }
        }

        /// <summary>The bytes that wait to be sent (65536 and more; default: 1 MiB).</summary>
        public int SendCapacity
        {
            get { return _sendCapacity; }
            set { _sendCapacity = AtLeast(65536, Math.Min(value, 1 << 30), nameof(SendCapacity)); }
        }

        /// <summary>The open requests of this side, and the unanswered ones of the server (1 and more; default: 64).</summary>
        public int MaxRequests
        {
            get { return _maxRequests; }
            set { _maxRequests = AtLeast(1, value, nameof(MaxRequests)); }
        }

        /// <summary>The messages since the client was created, without control messages.</summary>
        public long SentMessages { get; private set; }

        public long ReceivedMessages { get; private set; }

        public long SentBytes { get; private set; }

        public long ReceivedBytes { get; private set; }

        /// <summary>Events without a handler, and replies to no open request.</summary>
        public long UnhandledMessages { get; private set; }

        public long UnreadableMessages { get; private set; }

        /// <summary>Whether answers of the client itself may be added to the bytes that wait. Otherwise, nothing is read.</summary>
        private bool HasAnswerRoom => _outEnd - _outStart <= _sendCapacity;

        /// <summary>Sets the token of the next connection, which is copied; null for none.</summary>
        public void SetToken(byte[] token)
        {
            if (_token != null)
                Array.Clear(_token, 0, _token.Length);
            _token = token == null || token.Length == 0 ? null : (byte[])token.Clone();
        }

        /// <summary>Handles an event, and announces its contract at the next connection.</summary>
        /// <exception cref="ArgumentException">The client has no contract for the type, or the type is a request.</exception>
        public void On<T>(Action<T> handler)
            where T : class
        {
            var entry = GetEntry(typeof(T));
            if (entry.Contract.IsRequest)
                throw new ArgumentException(typeof(T) + " is a request, and not an event. Use OnRequest to answer it.");
            entry.OnEvent = message => handler((T)message);
        }

        /// <summary>Handles a request of the server, and announces its contract at the next connection. An exception of the handler is answered as fault 1.</summary>
        public void OnRequest<T>(Action<T, ReceivedRequest> handler)
            where T : class
        {
            GetEntry(typeof(T)).OnRequest = (message, request) => handler((T)message, request);
        }

        /// <summary>Begins to connect, without waiting. <see cref="Poll"/> calls <see cref="Connected"/> or <see cref="Disconnected"/>.</summary>
        /// <param name="endpoint"><c>tcp://127.0.0.1:PORT</c>, <c>tcp://localhost:PORT</c> or <c>tcp://[::1]:PORT</c>.</param>
        /// <param name="timeout">Milliseconds for the connection and the handshake.</param>
        public ClientStatus Connect(string endpoint, int timeout = 5000)
        {
            IPEndPoint address;
            if (State != ClientState.Idle)
                return ClientStatus.AlreadyConnected;
            var status = ParseEndpoint(endpoint, out address);
            if (status == ClientStatus.Ok && _token != null && _token.Length < 16)
                status = ClientStatus.WeakToken;
            if (status == ClientStatus.Ok && !TryWriteContracts())
                status = ClientStatus.TooLarge;
            if (status != ClientStatus.Ok)
                return status;
            Start(Now() + timeout);
            try
            {
                _socket = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { Blocking = false, NoDelay = true };
                _socket.Connect(address);
            }
            catch (SocketException e)
            {
                if (e.SocketErrorCode != SocketError.WouldBlock && e.SocketErrorCode != SocketError.InProgress)
                    End(DisconnectReason.ConnectionLost, "", null);
            }

            return ClientStatus.Ok;
        }

        /// <summary>Sends and receives what is possible without waiting, and calls the callbacks. Call it in each frame; the server ends a connection that is not polled for 15 s.</summary>
        public void Poll()
        {
            if (_isPolling || State == ClientState.Idle)
                return;
            _isPolling = true;
            try
            {
                if (State != ClientState.Ended)
                    PollOpen(Now());
                if (State == ClientState.Ended)
                    ReportEnd();
            }
            finally
            {
                _isPolling = false;
            }
        }

        /// <summary>Sends an event. <see cref="ClientStatus.Ok"/> means that it waits to be sent by <see cref="Poll"/>. A request is <see cref="ClientStatus.InvalidValue"/>.</summary>
        public ClientStatus Send<T>(T message)
            where T : class
        {
            var entry = message == null ? null : FindEntry(typeof(T)) ?? FindEntry(message.GetType());
            return message == null || (entry != null && entry.Contract.IsRequest) ? ClientStatus.InvalidValue : SendMessage(MessageKind.Event, 0, entry, message);
        }

        /// <summary>Sends a request.</summary>
        /// <param name="message">The request.</param>
        /// <param name="timeout">Milliseconds until the request ends as <see cref="ClientStatus.TimedOut"/>.</param>
        /// <param name="ended">Called once by <see cref="Poll"/>, unless the request was not sent or is canceled.</param>
        public SentRequest Request<TReply>(IRequest<TReply> message, int timeout, Action<Response<TReply>> ended) => Request((object)message, timeout, ended);

        /// <summary>Sends a request whose contract does not say what its reply is. A reply that is no <typeparamref name="TReply"/> ends it as <see cref="ClientStatus.WrongContract"/>.</summary>
        public SentRequest Request<TReply>(object message, int timeout, Action<Response<TReply>> ended)
        {
            var request = new SentRequest { ReplyType = typeof(TReply) };
            var entry = message == null ? null : FindRequest(message.GetType());
            if (message == null)
                request.Status = ClientStatus.InvalidValue;
            else if (!IsConnected)
                request.Status = ClientStatus.NotConnected;
            else if (_requests.Count >= _maxRequests)
                request.Status = ClientStatus.Full;
            if (request.Status != ClientStatus.Ok)
                return request;
            var id = _lastId;
            do
                id = (id + 1) % OwnIds;
            while (_requests.ContainsKey(id));
            request.Status = entry != null && entry.Contract.Reply.HasValue && Differs(entry.Contract.Reply.Value) ? ClientStatus.WrongContract : SendMessage(MessageKind.Request, id, entry, message);
            if (request.Status != ClientStatus.Ok)
                return request;
            _lastId = request.Id = id;
            request.Client = this;
            request.Contract = entry.Contract;
            request.Deadline = Now() + timeout;
            request.End = (status, value, code, text) => ended(new Response<TReply> { Status = status, Value = value == null ? default(TReply) : (TReply)value, Code = code, Text = text });
            _requests.Add(id, request);
            _nextDeadline = Math.Min(_nextDeadline, request.Deadline);
            return request;
        }

        /// <summary>Ends the connection with a goodbye. The next <see cref="Poll"/> reports the end.</summary>
        public void Close() => End(DisconnectReason.Requested, "", "");

        /// <summary>Closes the connection, and clears the token. No callback is called.</summary>
        public void Dispose()
        {
            Close();
            SetToken(null);
            _requests.Clear();
            State = ClientState.Idle;
        }

        internal ClientStatus Cancel(SentRequest request)
        {
            SentRequest found;
            if (!_requests.TryGetValue(request.Id, out found) || found != request)
                return ClientStatus.Unknown;
            _requests.Remove(request.Id);
            SendCancel(request.Id);
            return ClientStatus.Ok;
        }

        internal ClientStatus Answer(ReceivedRequest request, MessageKind kind, object message, int code, string text)
        {
            ReceivedRequest found;
            if (!_answers.TryGetValue(request.Id, out found) || found != request)
                return IsConnected ? ClientStatus.Unknown : ClientStatus.NotConnected;
            ClientStatus status;
            if (kind == MessageKind.Fault)
            {
                status = code < 0 ? ClientStatus.InvalidValue : SendBytes(MessageKind.Fault, request.Contract.Id, request.Id, MakeFault(code, text));
            }
            else if (message == null)
            {
                status = SendBytes(MessageKind.Reply, TypeAcknowledgement, request.Id, s_nothing);
            }
            else
            {
                Entry entry;
                if (!request.Contract.Reply.HasValue || !_entries.TryGetValue(request.Contract.Reply.Value, out entry))
                    entry = FindEntry(message.GetType());
                status = SendMessage(MessageKind.Reply, request.Id, entry, message);
            }

            if (status == ClientStatus.Ok)
                _answers.Remove(request.Id);
            return status;
        }

        private static int AtLeast(int least, int value, string name)
        {
            if (value < least)
                throw new ArgumentOutOfRangeException(name, value, "The value is less than " + least.ToString(CultureInfo.InvariantCulture) + ".");
            return value;
        }

        private static long Now() => (long)(Stopwatch.GetTimestamp() * (1000.0 / Stopwatch.Frequency));

        private static ClientStatus ParseEndpoint(string text, out IPEndPoint endpoint)
        {
            int port;
            IPAddress address;
            endpoint = null;
            var colon = text == null ? -1 : text.LastIndexOf(':');
            if (colon < 6 || !text.StartsWith("tcp://", StringComparison.Ordinal) || !int.TryParse(text.Substring(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out port) || port < 1 || port > 65535)
                return ClientStatus.InvalidEndpoint;
            var host = text.Substring(6, colon - 6);
            if (host.Length == 0)
                return ClientStatus.InvalidEndpoint;
            if (host == "localhost")
                host = "127.0.0.1";
            if (!IPAddress.TryParse(host, out address) || !IPAddress.IsLoopback(address))
                return ClientStatus.NotLocal; // the name of another machine is not resolved
            endpoint = new IPEndPoint(address, port);
            return ClientStatus.Ok;
        }

        // ---- Contracts of both sides ----------------------------------------------------------------------------------------------

        private Entry GetEntry(Type type)
        {
            var entry = FindEntry(type);
            if (entry == null)
                throw new ArgumentException("The client has no contract for " + type + ". Give it to the constructor.");
            return entry;
        }

        private Entry FindEntry(Type type)
        {
            Entry entry;
            return _types.TryGetValue(type, out entry) ? entry : null;
        }

        /// <summary>Finds the contract of a request: of its type, or of the union that is the request.</summary>
        private Entry FindRequest(Type type)
        {
            var found = FindEntry(type);
            if (found != null && found.Contract.IsRequest)
                return found;
            foreach (var entry in _entries.Values)
            {
                if (entry.Contract.IsRequest && entry.Contract.Type.IsAssignableFrom(type))
                    return entry;
            }

            return found;
        }

        private bool Differs(uint id)
        {
            Entry entry;
            return _entries.TryGetValue(id, out entry) && entry.Differs;
        }

        /// <summary>Returns whether this side handles a contract, or replies with it.</summary>
        private bool IsAnnounced(Entry entry)
        {
            if (entry.OnEvent != null || entry.OnRequest != null)
                return true;
            foreach (var other in _entries.Values)
            {
                if (other.OnRequest != null && other.Contract.Reply == entry.Contract.Id)
                    return true;
            }

            return false;
        }

        private bool TryWriteContracts()
        {
            var announced = new List<Contract>();
            foreach (var entry in _entries.Values)
            {
                if (IsAnnounced(entry))
                    announced.Add(entry.Contract);
            }

            _writer.Start(Wire.MaxControl - 64);
            _writer.WriteList(announced, false, (writer, contract) =>
            {
                writer.WriteUvarint(contract.Id);
                writer.WriteString(contract.Name, false);
                writer.WriteString(contract.Compressor == null ? Serializer : Serializer + "+" + contract.Compressor, false);
                writer.WriteInt32(contract.Version);
                writer.WriteUvarint((uint)contract.Shape.Length + 1);
                foreach (var field in contract.Shape)
                    writer.WriteUInt64(field);
            });
            _announcement = _writer.ToArray();
            return _writer.Status == ClientStatus.Ok && announced.Count <= MaxContracts;
        }

        /// <summary>Reads a list of contracts up to the end of the payload.</summary>
        /// <returns>The contracts; null if the list cannot be read.</returns>
        private static List<Announced> ReadContracts(PayloadReader reader)
        {
            int count, fields;
            if (!reader.ReadLength(false, out count) || count > MaxContracts)
                return null;
            var contracts = new List<Announced>(count);
            var ids = new HashSet<uint>();
            for (; count > 0; count--)
            {
                var one = new Announced { Id = reader.ReadUvarint(), Name = reader.ReadString(false), Encoding = reader.ReadString(false), Version = reader.ReadInt32() };
                reader.ReadLength(false, out fields);
                if (reader.HasFailed || fields > reader.Left / 8 || !ids.Add(one.Id))
                    return null;
                one.Shape = new ulong[fields];
                for (var i = 0; i < fields; i++)
                    one.Shape[i] = reader.ReadUInt64();
                contracts.Add(one);
            }

            return reader.IsAtEnd && !reader.HasFailed ? contracts : null;
        }

        /// <summary>Compares the contracts of the server with those of this side.</summary>
        /// <returns>False if the connection was ended; otherwise, true.</returns>
        private bool Learn(List<Announced> contracts, bool isHandshake)
        {
            if (contracts == null)
            {
                var text = isHandshake ? "The contracts cannot be read." : "A hello cannot be read.";
                End(isHandshake ? DisconnectReason.NotAPeer : DisconnectReason.Malformed, text, text);
                return false;
            }

            foreach (var theirs in contracts)
            {
                Entry entry;
                string here = null, there = null;
                if (!_entries.TryGetValue(theirs.Id, out entry))
                    continue;
                entry.Differs = !IsEqual(entry.Contract, theirs, ref here, ref there);
                if (!entry.Differs || !IsAnnounced(entry))
                    continue;
                var number = theirs.Id.ToString(CultureInfo.InvariantCulture);
                string ours = Short(entry.Contract.Name, MaxName), name = Short(theirs.Name, MaxName);
                End(
                    DisconnectReason.WrongContract,
                    "The contracts of message type " + number + " (" + ours + " on this side, " + name + " on the remote side) differ: " + here + ".",
                    "The contracts of message type " + number + " (" + name + " on this side, " + ours + " on the remote side) differ: " + there + ".");
                return false;
            }

            return true;
        }

        /// <summary>Compares a contract, and describes the difference as each side sees it.</summary>
        private static bool IsEqual(Contract ours, Announced theirs, ref string here, ref string there)
        {
            if (!IsSameEncoding(ours.Compressor, theirs.Encoding, ref here, ref there))
                return false;
            if (theirs.Version != ours.Version)
            {
                string own = ours.Version.ToString(CultureInfo.InvariantCulture), remote = theirs.Version.ToString(CultureInfo.InvariantCulture);
                here = "the version is " + own + " here and " + remote + " there";
                there = "the version is " + remote + " here and " + own + " there";
                return false;
            }

            foreach (var own in ours.Shape)
            {
                foreach (var remote in theirs.Shape)
                {
                    if (own >> 32 == remote >> 32 && own != remote)
                    {
                        here = there = "the first difference is field " + (own >> 32).ToString(CultureInfo.InvariantCulture);
                        return false;
                    }
                }
            }

            return true;
        }

        /// <summary>
        /// Compares an announced encoding, which is a serializer, or a serializer, a plus sign and a compressor, with those of this side. Describes a difference.
        /// A compressor's name with a dot is that of a class, whose format is not known.
        /// </summary>
        internal static bool IsSameEncoding(string compressor, string theirs, ref string here, ref string there)
        {
            const string None = "none";
            var at = theirs.LastIndexOf('+');
            string ours = compressor ?? None, format = at < 0 ? None : theirs.Substring(at + 1), serializer = at < 0 ? theirs : theirs.Substring(0, at);
            if (serializer == Serializer && (format == ours || (ours != None && format != None && (ours + format).IndexOf('.') >= 0)))
                return true;
            var isSame = serializer == Serializer;
            string start = isSame ? "the compressor is " : "the serializer is ", end = isSame ? "; both sides need the same format" : "";
            string own = isSame ? ours : Serializer, remote = Short(isSame ? format : serializer, MaxName);
            here = start + own + " here and " + remote + " there" + end;
            there = start + remote + " here and " + own + " there" + end;
            return false;
        }

        /// <summary>Shortens a text of the server, and replaces its control characters.</summary>
        private static string Short(string text, int most)
        {
            var bytes = Utf8.Encode(text, most);
            return Utf8.Decode(bytes, 0, bytes.Length);
        }

        // ---- The handshake --------------------------------------------------------------------------------------------------------

        private void Start(long deadline)
        {
            State = ClientState.Connecting;
            Reason = DisconnectReason.ConnectionLost;
            ReasonText = "";
            _step = Step.Hello;
            _connection++;
            _limit = _maxMessage;
            _remoteLimit = Wire.LargestSize;
            _isSocketConnected = false;
            _unreadable = _inStart = _inEnd = _outStart = _outEnd = 0;
            _lastPoll = _lastReceived = Now();
            _handshakeDeadline = deadline;
            _nextDeadline = long.MaxValue;
            foreach (var entry in _entries.Values)
                entry.Differs = false;
            using (var random = RandomNumberGenerator.Create())
                random.GetBytes(_nonce);
            SendHello(MakeHello(_nonce, _limit, _token != null, _announcement));
        }

        internal static byte[] MakeHello(byte[] nonce, int limit, bool hasToken, byte[] contracts)
        {
            var writer = new PayloadWriter();
            writer.Start(Wire.MaxControl);
            writer.WriteBytes(s_magic);
            writer.WriteBoolean(hasToken);
            writer.WriteUvarint((uint)limit);
            writer.WriteBytes(nonce);
            writer.WriteBytes(hasToken ? s_later : contracts);
            return writer.ToArray();
        }

        internal static byte[] MakeProof(byte[] token, char role, byte[] own, byte[] other)
        {
            var data = new byte[33];
            data[0] = (byte)role;
            Buffer.BlockCopy(own, 0, data, 1, 16);
            Buffer.BlockCopy(other, 0, data, 17, 16);
            using (var hash = new HMACSHA256(token))
                return hash.ComputeHash(data);
        }

        private static bool IsEqualInConstantTime(byte[] data, int start, int size, byte[] expected)
        {
            if (size != expected.Length)
                return false;
            var difference = 0;
            for (var i = 0; i < size; i++)
                difference |= data[start + i] ^ expected[i];
            return difference == 0;
        }

        /// <summary>Reads a first hello. Its contracts are null if they follow the proof.</summary>
        /// <returns>Ok; WrongContract for another version of the protocol; InvalidPayload.</returns>
        internal static ClientStatus ReadHello(byte[] data, int start, int size, out Hello hello)
        {
            int at, rest;
            hello = default(Hello);
            var reader = new PayloadReader(data, start, size);
            for (var i = 0; i < 4; i++)
            {
                if (reader.ReadByte() != s_magic[i] || reader.HasFailed)
                    return ClientStatus.InvalidPayload;
            }

            if (reader.ReadByte() != s_magic[4] || reader.HasFailed)
                return reader.HasFailed ? ClientStatus.InvalidPayload : ClientStatus.WrongContract;
            hello.HasToken = reader.ReadBoolean();
            var limit = reader.ReadUvarint();
            if (!reader.Take(16, out at) || limit < 128)
                return ClientStatus.InvalidPayload;
            hello.Limit = (int)Math.Min(limit, Wire.LargestSize);
            hello.Nonce = at;
            rest = reader.Left;
            if (IsEqualInConstantTime(data, reader.Position, rest, s_later))
                return ClientStatus.Ok;
            hello.Contracts = ReadContracts(reader);
            return hello.Contracts == null ? ClientStatus.InvalidPayload : ClientStatus.Ok;
        }

        private void AcceptHello(int start, int size)
        {
            Hello hello;
            var status = ReadHello(_in, start, size, out hello);
            if (status == ClientStatus.InvalidPayload)
            {
                End(DisconnectReason.NotAPeer, "The hello cannot be read.", "The hello cannot be read.");
            }
            else if (status != ClientStatus.Ok)
            {
                End(DisconnectReason.WrongVersion, "", "");
            }
            else if (hello.HasToken != (_token != null))
            {
                End(DisconnectReason.WrongToken, hello.HasToken ? "The server has a token." : "The server has no token.", "");
            }
            else
            {
                _remoteLimit = hello.Limit;
                Buffer.BlockCopy(_in, hello.Nonce, _remoteNonce, 0, 16);
                if (_token != null)
                {
                    SendHello(MakeProof(_token, 'C', _nonce, _remoteNonce));
                    _step = Step.Proof; // contracts before the proof, of an earlier version of the library, are not compared
                }
                else if (hello.Contracts == null || Learn(hello.Contracts, true))
                {
                    SendHello(s_nothing);
                    _step = Step.Contracts;
                }
            }
        }

        private void AcceptProof(int start, int size)
        {
            if (!IsEqualInConstantTime(_in, start, size, MakeProof(_token, 'S', _remoteNonce, _nonce)))
            {
                End(DisconnectReason.WrongToken, "The server does not know the token.", "");
                return;
            }

            SendHello(_announcement);
            SendHello(s_nothing);
            _step = Step.Contracts;
        }

        /// <summary>Handles a message of the handshake.</summary>
        private void Shake(int start, int size)
        {
            MessageHeader header;
            int at = start, end = start + size;
            var verdict = Wire.ReadHeader(_in, ref at, end, out header);
            if (verdict != HeaderVerdict.Ok || header.Kind != MessageKind.Control || header.IsCompressed || header.Type != OpHello && header.Type != OpGoodbye)
                End(DisconnectReason.NotAPeer, "", null);
            else if (header.Type == OpGoodbye)
                EndByGoodbye(at, end - at);
            else if (_step == Step.Hello)
                AcceptHello(at, end - at);
            else if (_step == Step.Proof)
                AcceptProof(at, end - at);
            else if (end > at)
                Learn(ReadContracts(new PayloadReader(_in, at, end - at)), true);
            else
                Open();
        }

        private void Open()
        {
            State = ClientState.Connected;
            _nextPing = Now() + PingInterval;
            Call(Connected);
        }

        // ---- Polling --------------------------------------------------------------------------------------------------------------

        private void PollOpen(long now)
        {
            if (now - _lastPoll > PingInterval)
                _lastReceived = now; // the program did not poll, so the silence says nothing
            _lastPoll = now;
            if (!_isSocketConnected && !ContinueConnect())
            {
                if (State == ClientState.Connecting && now >= _handshakeDeadline)
                    End(DisconnectReason.HandshakeTimeout, "", null);
                return;
            }

            var connection = _connection;
            Expire(now);
            for (var i = 0; i < MaxMessagesInPoll && _socket != null && connection == _connection; i++)
            {
                if (!HasAnswerRoom)
                {
                    Flush();
                    if (!HasAnswerRoom)
                    {
                        _lastReceived = now; // this side does not read
                        break;
                    }
                }

                if (_socket == null || !PollMessage(now))
                    break;
            }

            if (_socket == null || connection != _connection)
                return;
            if (State == ClientState.Connecting && now >= _handshakeDeadline)
                End(DisconnectReason.HandshakeTimeout, "", null);
            else if (State == ClientState.Connected && now - _lastReceived > KeepAlive)
                End(DisconnectReason.NotResponding, "", null);
            else
                SendPing(now);
            Flush();
        }

        private bool ContinueConnect()
        {
            try
            {
                var isReady = _socket.Poll(0, SelectMode.SelectWrite);
                if (!isReady && !_socket.Poll(0, SelectMode.SelectError))
                    return false;
                if (isReady && (int)_socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.Error) == 0)
                    return _isSocketConnected = true;
            }
            catch (SocketException)
            {
            }

            End(DisconnectReason.ConnectionLost, "", null);
            return false;
        }

        /// <summary>Handles the next message, or receives bytes. Returns false if there is nothing now.</summary>
        private bool PollMessage(long now)
        {
            int size, start = _inStart;
            var isHandshake = State == ClientState.Connecting;
            switch (Wire.ReadFrame(_in, ref start, _inEnd, isHandshake ? Wire.MaxControl : _limit, Wire.MaxControl, out size))
            {
                case FrameStatus.Ok:
                    _inStart = start + size;
                    _lastReceived = now;
                    if (isHandshake)
                        Shake(start, size);
                    else
                        AcceptMessage(start, size);
                    return true;
                case FrameStatus.Incomplete:
                    return Receive(now);
                case FrameStatus.TooLarge:
                    End(isHandshake ? DisconnectReason.NotAPeer : DisconnectReason.FrameTooLarge, "", isHandshake ? null : "");
                    return false;
                default:
                    End(isHandshake ? DisconnectReason.NotAPeer : DisconnectReason.Malformed, "", isHandshake ? null : "");
                    return false;
            }
        }

        private bool Receive(long now)
        {
            if (_inStart > 0)
            {
                Buffer.BlockCopy(_in, _inStart, _in, 0, _inEnd - _inStart);
                _inEnd -= _inStart;
                _inStart = 0;
            }

            if (_inEnd == _in.Length) // a frame that is not complete, and not larger than the limit
                Array.Resize(ref _in, (int)Math.Min(2L * _in.Length, Math.Max(_limit, Wire.MaxControl) + 64L));
            SocketError error;
            var count = _socket.Receive(_in, _inEnd, _in.Length - _inEnd, SocketFlags.None, out error);
            if (error == SocketError.WouldBlock || error == SocketError.Interrupted)
                return false;
            if (error != SocketError.Success || count <= 0)
            {
                End(DisconnectReason.ConnectionLost, "", null);
                return false;
            }

            _inEnd += count;
            ReceivedBytes += count;
            _lastReceived = now;
            return true;
        }

        /// <summary>Sends what the system takes now.</summary>
        private void Flush()
        {
            while (_socket != null && _isSocketConnected && _outStart < _outEnd)
            {
                SocketError error;
                var count = _socket.Send(_out, _outStart, _outEnd - _outStart, SocketFlags.None, out error);
                if (error == SocketError.WouldBlock || error == SocketError.Interrupted || error == SocketError.NoBufferSpaceAvailable)
                    return;
                if (error != SocketError.Success)
                {
                    End(DisconnectReason.ConnectionLost, "", null);
                    return;
                }

                _outStart += count;
                SentBytes += count;
            }

            if (_outStart == _outEnd)
                _outStart = _outEnd = 0;
        }

        private void SendPing(long now)
        {
            if (State != ClientState.Connected || now < _nextPing || !HasAnswerRoom)
                return;
            SendControl(OpPing, BitConverter.GetBytes(now));
            _nextPing = now + PingInterval;
        }

        /// <summary>Ends the requests whose time is over.</summary>
        private void Expire(long now)
        {
            while (now >= _nextDeadline && State == ClientState.Connected)
            {
                SentRequest expired = null;
                _nextDeadline = long.MaxValue;
                foreach (var request in _requests.Values)
                {
                    if (request.Deadline <= now)
                        expired = request;
                    _nextDeadline = Math.Min(_nextDeadline, request.Deadline);
                }

                if (expired == null)
                    return;
                _requests.Remove(expired.Id);
                SendCancel(expired.Id);
                EndRequest(expired, ClientStatus.TimedOut, null, 0, "");
            }
        }

        // ---- Received messages ----------------------------------------------------------------------------------------------------

        private void AcceptMessage(int start, int size)
        {
            MessageHeader header;
            int at = start, end = start + size;
            if (Wire.ReadHeader(_in, ref at, end, out header) != HeaderVerdict.Ok)
            {
                CountUnreadable();
                return;
            }

            if (header.Kind == MessageKind.Control)
            {
                AcceptControl(header, at, end - at);
                return;
            }

            ReceivedMessages++;
            if (header.Kind == MessageKind.Event)
                AcceptEvent(header, at, end - at);
            else if (header.Kind == MessageKind.Request)
                AcceptRequest(header, at, end - at);
            else
                AcceptReply(header, at, end - at);
        }

        private void AcceptControl(MessageHeader header, int at, int size)
        {
            if (header.IsCompressed)
            {
                CountUnreadable();
                return;
            }

            switch (header.Type)
            {
                case OpHello:
                    Learn(ReadContracts(new PayloadReader(_in, at, size)), false);
                    break;
                case OpPing:
                    if (size > MaxPing)
                        CountUnreadable();
                    else
                        SendControl(OpPong, Copy(_in, at, size));
                    break;
                case OpPong:
                    if (size != 8)
                        CountUnreadable();
                    break;
                case OpGoodbye:
                    EndByGoodbye(at, size);
                    break;
                case OpCancel:
                    uint id;
                    ReceivedRequest request;
                    if (Wire.ReadUvarint(_in, ref at, at + size, out id) != HeaderVerdict.Ok)
                    {
                        CountUnreadable();
                    }
                    else if (_answers.TryGetValue(id, out request))
                    {
                        request.IsCanceled = true;
                        Call(request.Canceled);
                    }

                    break;
            }
        }

        private void AcceptEvent(MessageHeader header, int at, int size)
        {
            Entry entry;
            object message;
            if (!_entries.TryGetValue(header.Type, out entry) || entry.OnEvent == null)
            {
                UnhandledMessages++;
                return;
            }

            if (!TryUnpack(entry.Contract, header, at, size, out message))
                CountUnreadable();
            else
                Call(() => entry.OnEvent(message));
        }

        private void AcceptRequest(MessageHeader header, int at, int size)
        {
            Entry entry;
            object message;
            if (!_entries.TryGetValue(header.Type, out entry) || entry.OnRequest == null)
            {
                var isItems = header.Type == TypeItemBlock;
                SendFault(header, isItems ? FaultCodes.InvalidRequest : FaultCodes.NoHandler, isItems ? "The client sends no items with its requests." : "No handler answers requests of this type.");
                return;
            }

            if (_answers.ContainsKey(header.Correlation))
            {
                CountUnreadable(); // the id belongs to another open request
                return;
            }

            if (_answers.Count >= _maxRequests)
            {
                SendFault(header, FaultCodes.HandlerFailed, "Too many requests wait for their replies.");
                return;
            }

            if (!TryUnpack(entry.Contract, header, at, size, out message))
            {
                SendFault(header, FaultCodes.InvalidRequest, "The request cannot be read.");
                return;
            }

            var request = new ReceivedRequest { Client = this, Id = header.Correlation, Contract = entry.Contract };
            _answers.Add(request.Id, request);
            Call(() =>
            {
                try
                {
                    entry.OnRequest(message, request);
                }
                catch
                {
                    request.Fault(FaultCodes.HandlerFailed, "The handler failed.");
                    throw;
                }
            });
        }

        private void AcceptReply(MessageHeader header, int at, int size)
        {
            SentRequest request;
            var isStream = header.Kind == MessageKind.Reply && header.Type == TypeStream && !header.IsCompressed;
            if (isStream && size == 4)
                CloseStream(at);
            if (!_requests.TryGetValue(header.Correlation, out request))
            {
                UnhandledMessages++;
                return;
            }

            _requests.Remove(request.Id);
            if (header.Kind == MessageKind.Fault)
            {
                int code;
                string text;
                var isRead = Wire.TryReadFault(_in, at, size, out code, out text) && !header.IsCompressed;
                EndRequest(request, isRead ? ClientStatus.Fault : ClientStatus.InvalidPayload, null, isRead ? code : 0, isRead ? text : "");
                return;
            }

            Entry entry;
            object message = null;
            var status = ClientStatus.Ok;
            if (header.Type == TypeStream)
                status = ClientStatus.Stream;
            else if (header.Type == TypeAcknowledgement && !request.Contract.Reply.HasValue)
                status = ClientStatus.Ok;
            else if (!_entries.TryGetValue(header.Type, out entry) || entry.Differs || (request.Contract.Reply ?? header.Type) != header.Type || !request.ReplyType.IsAssignableFrom(entry.Contract.Type))
                status = ClientStatus.WrongContract;
            else if (!TryUnpack(entry.Contract, header, at, size, out message))
                status = ClientStatus.InvalidPayload;
            EndRequest(request, status, message, 0, "");
        }

        /// <summary>Closes a stream that this side does not read: a block of 0 bytes is requested.</summary>
        private void CloseStream(int at)
        {
            var payload = new byte[8];
            Buffer.BlockCopy(_in, at, payload, 0, 4);
            Append(MessageKind.Request, TypeBlock, OwnIds | _lastOwnId, payload);
            _lastOwnId = (_lastOwnId + 1) % OwnIds;
        }

        private bool TryUnpack(Contract contract, MessageHeader header, int at, int size, out object message)
        {
            var data = _in;
            message = null;
            if (header.IsCompressed)
            {
                data = TryDecompress(contract, (int)header.Size, at, size);
                at = 0;
                size = (int)header.Size;
                if (data == null)
                    return false;
            }

            var reader = new PayloadReader(data, at, size);
            message = contract.UnpackObject(reader);
            return !reader.HasFailed && message != null;
        }

        /// <summary>Decompresses a payload. Returns null if it is corrupt or too large.</summary>
        private byte[] TryDecompress(Contract contract, int plainSize, int at, int size)
        {
            if (contract.Compressor == null || plainSize > _limit || size == 0)
                return null;
            if (contract.Compressor != "lz4")
            {
                if (Decompress == null)
                    return null;
                try
                {
                    var plain = Decompress(contract.Compressor, Copy(_in, at, size), plainSize);
                    return plain != null && plain.Length == plainSize ? plain : null;
                }
                catch (Exception)
                {
                    return null; // corrupt bytes, too
                }
            }

            if (plainSize > 255L * size) // more than any block has
                return null;
            if (_plain.Length < plainSize)
                _plain = new byte[plainSize];
            return Lz4.TryDecompress(_in, at, size, _plain, plainSize) ? _plain : null;
        }

        private void EndRequest(SentRequest request, ClientStatus status, object value, int code, string text) => Call(() => request.End(status, value, code, text));

        /// <summary>Calls code of the program.</summary>
        private void Call(Action callback)
        {
            if (callback == null)
                return;
            try
            {
                callback();
            }
            catch (Exception e)
            {
                if (CallbackFailed == null)
                    throw;
                CallbackFailed(e);
            }
        }

        // ---- Sending --------------------------------------------------------------------------------------------------------------

        private ClientStatus SendMessage(MessageKind kind, uint id, Entry entry, object message)
        {
            if (!IsConnected)
                return ClientStatus.NotConnected;
            if (entry == null)
                return ClientStatus.Unknown;
            if (entry.Differs)
                return ClientStatus.WrongContract;
            if (!entry.Contract.Type.IsInstanceOfType(message))
                return ClientStatus.InvalidValue;
            _writer.Start(_remoteLimit);
            Wire.WriteHeader(_writer, new MessageHeader { Kind = kind, Type = entry.Contract.Id, Correlation = id });
            entry.Contract.PackObject(_writer, message);
            return SendWritten();
        }

        private ClientStatus SendBytes(MessageKind kind, uint type, uint id, byte[] payload)
        {
            _writer.Start(_remoteLimit);
            Wire.WriteHeader(_writer, new MessageHeader { Kind = kind, Type = type, Correlation = id });
            _writer.WriteBytes(payload);
            return SendWritten();
        }

        /// <summary>Appends the message that was written to the bytes that wait, if they stay within their limit.</summary>
        private ClientStatus SendWritten()
        {
            if (_writer.Status != ClientStatus.Ok)
                return _writer.Status;
            if (_writer.Size + 5 > _sendCapacity)
                return ClientStatus.TooLarge;
            if (_writer.Size + 5 > _sendCapacity - (_outEnd - _outStart))
                Flush();
            if (!IsConnected)
                return ClientStatus.NotConnected;
            if (_writer.Size + 5 > _sendCapacity - (_outEnd - _outStart))
                return ClientStatus.Full;
            AppendWritten();
            SentMessages++;
            return ClientStatus.Ok;
        }

        /// <summary>Appends an answer of the client itself. <see cref="PollOpen"/> has checked the room.</summary>
        private void Append(MessageKind kind, uint type, uint id, byte[] payload)
        {
            _writer.Start(Wire.LargestSize);
            Wire.WriteHeader(_writer, new MessageHeader { Kind = kind, Type = type, Correlation = id });
            _writer.WriteBytes(payload);
            AppendWritten();
        }

        private void AppendWritten()
        {
            var size = _writer.Size + 5;
            if (size > _out.Length - _outEnd)
            {
                var waiting = _outEnd - _outStart;
                var target = size > _out.Length - waiting ? new byte[(int)Math.Min(int.MaxValue - 64, Math.Max(2L * _out.Length, (long)waiting + size))] : _out;
                Buffer.BlockCopy(_out, _outStart, target, 0, waiting);
                _out = target;
                _outStart = 0;
                _outEnd = waiting;
            }

            _outEnd = Wire.PutUvarint(_out, _outEnd, (uint)_writer.Size);
            Buffer.BlockCopy(_writer.Data, 0, _out, _outEnd, _writer.Size);
            _outEnd += _writer.Size;
        }

        private void SendHello(byte[] payload) => SendControl(OpHello, payload);

        private void SendControl(uint opcode, byte[] payload) => Append(MessageKind.Control, opcode, 0, payload);

        private void SendFault(MessageHeader request, int code, string text) => Append(MessageKind.Fault, request.Type, request.Correlation, MakeFault(code, text));

        private void SendCancel(uint id)
        {
            if (!IsConnected || !HasAnswerRoom)
                return;
            var payload = new byte[Wire.SizeOfUvarint(id)];
            Wire.PutUvarint(payload, 0, id);
            SendControl(OpCancel, payload);
        }

        private static byte[] MakeFault(int code, string text)
        {
            var bytes = Utf8.Encode(text, MaxFaultText);
            var size = Wire.SizeOfUvarint((uint)code);
            var payload = new byte[size + bytes.Length];
            Wire.PutUvarint(payload, 0, (uint)code);
            Buffer.BlockCopy(bytes, 0, payload, size, bytes.Length);
            return payload;
        }

        private static byte[] Copy(byte[] data, int start, int size)
        {
            var copy = new byte[size];
            Buffer.BlockCopy(data, start, copy, 0, size);
            return copy;
        }

        // ---- The end --------------------------------------------------------------------------------------------------------------

        private void CountUnreadable()
        {
            const string Text = "More than 16 messages could not be read.";
            UnreadableMessages++;
            if (++_unreadable > MaxUnreadable)
                End(DisconnectReason.Malformed, Text, Text);
        }

        private void EndByGoodbye(int at, int size)
        {
            var reason = size > 0 && _in[at] <= (byte)DisconnectReason.Banned ? (DisconnectReason)_in[at] : DisconnectReason.Goodbye;
            End(reason, size > 1 ? Short(Utf8.Decode(_in, at + 1, size - 1), MaxText) : "", null);
        }

        /// <summary>Ends the connection.</summary>
        /// <param name="reason">The reason of this side.</param>
        /// <param name="text">The text of this side.</param>
        /// <param name="goodbye">The text of the goodbye; null for no goodbye.</param>
        private void End(DisconnectReason reason, string text, string goodbye)
        {
            if (State != ClientState.Connecting && State != ClientState.Connected)
                return;
            State = ClientState.Ended;
            Reason = reason;
            ReasonText = text;
            if (goodbye != null && _isSocketConnected)
            {
                var bytes = Utf8.Encode(goodbye, MaxText);
                var payload = new byte[1 + bytes.Length];
                payload[0] = (byte)reason;
                Buffer.BlockCopy(bytes, 0, payload, 1, bytes.Length);
                SendControl(OpGoodbye, payload);
                Flush();
            }

            if (_socket != null)
                _socket.Close();
            _socket = null;
            _inStart = _inEnd = _outStart = _outEnd = 0;
            _answers.Clear();
        }

        /// <summary>Ends the open requests, and then reports the end.</summary>
        private void ReportEnd()
        {
            while (_requests.Count > 0 && State == ClientState.Ended)
            {
                SentRequest first = null;
                foreach (var request in _requests.Values)
                {
                    first = request;
                    break;
                }

                _requests.Remove(first.Id);
                EndRequest(first, ClientStatus.ConnectionLost, null, 0, "");
            }

            if (State != ClientState.Ended)
                return; // a callback has disposed the client
            State = ClientState.Idle;
            var disconnected = Disconnected;
            if (disconnected != null)
                Call(() => disconnected(Reason, ReasonText));
        }

        /// <summary>A contract, what handles it, and what the server said of it.</summary>
        private sealed class Entry
        {
            public Contract Contract;
            public Action<object> OnEvent;
            public Action<object, ReceivedRequest> OnRequest;
            public bool Differs;
        }

        internal sealed class Announced
        {
            public uint Id;
            public string Name, Encoding;
            public int Version;
            public ulong[] Shape;
        }

        internal struct Hello
        {
            public bool HasToken;
            public int Limit, Nonce;
            public List<Announced> Contracts;
        }
    }

    // ---- Published servers --------------------------------------------------------------------------------------------------------

    /// <summary>A server over TCP that a process of this user has published.</summary>
    internal sealed class PublishedServer
    {
        private const int MaxEntry = 8192;

        private PublishedServer(string endpoint, byte[] token)
        {
            Endpoint = endpoint;
            Token = token;
        }

        public string Endpoint { get; }

        /// <summary>The token; empty if the server needs none, or one that the program knows.</summary>
        public byte[] Token { get; }

        /// <summary>Finds the server that a process has published under a name.</summary>
        /// <returns>Ok; <see cref="ClientStatus.Unknown"/> if there is none with an address of TCP; <see cref="ClientStatus.NotPrivate"/> if other users can change its entry.</returns>
        public static ClientStatus Find(int processId, string name, out PublishedServer server)
        {
            server = null;
            try
            {
                var isWindows = Path.DirectorySeparatorChar == '\\';
                var runtime = isWindows ? null : Environment.GetEnvironmentVariable("XDG_RUNTIME_DIR");
                var folder = !string.IsNullOrEmpty(runtime) && runtime[0] == '/'
                    ? Path.Combine(runtime, "reloaded-messaging")
                    : Path.Combine(Path.GetTempPath(), "reloaded-messaging-" + (Environment.UserName.Length > 0 ? Environment.UserName : geteuid().ToString(CultureInfo.InvariantCulture)));
                var servers = Path.Combine(folder, "servers");
                var file = Path.Combine(servers, name + "." + processId.ToString(CultureInfo.InvariantCulture));
                if (name.IndexOfAny(new[] { '/', '\\' }) >= 0 || !File.Exists(file))
                    return ClientStatus.Unknown;
                if (!isWindows && !(IsPrivate(folder) && IsPrivate(servers) && IsPrivate(file))) // on Windows, the folder for temporary files is the user's
                    return ClientStatus.NotPrivate;
                server = Parse(processId, ReadText(file).Split('\n'));
            }
            catch (Exception e) when (e is IOException || e is UnauthorizedAccessException || e is ArgumentException || e is FormatException || e is InvalidOperationException || e is NotSupportedException || e is ExternalException)
            {
            }

            return server == null ? ClientStatus.Unknown : ClientStatus.Ok;
        }

        private static PublishedServer Parse(int processId, string[] lines)
        {
            if (lines.Length < 4 || lines[0] != "reloaded-messaging server 1")
                return null;
            var start = "process " + processId.ToString(CultureInfo.InvariantCulture) + " ";
            if (!lines[1].StartsWith(start, StringComparison.Ordinal) || !HasStartedAt(processId, lines[1].Substring(start.Length)))
                return null;
            string endpoint = null;
            for (var i = 2; i < lines.Length; i++)
            {
                if (lines[i].StartsWith("token ", StringComparison.Ordinal))
                    return endpoint == null ? null : new PublishedServer(endpoint, Convert.FromBase64String(lines[i].Substring(6)));
                var words = lines[i].Split(new[] { ' ' }, 4);
                if (endpoint == null && words.Length == 4 && words[0] == "Tcp")
                    endpoint = "tcp://" + (words[3].IndexOf(':') < 0 ? words[3] : "[" + words[3] + "]") + ":" + words[1];
            }

            return null;
        }

        /// <summary>Returns whether a process started then. The id may belong to another process by now.</summary>
        private static bool HasStartedAt(int processId, string time)
        {
            if (Path.DirectorySeparatorChar == '\\')
            {
                using (var process = Process.GetProcessById(processId))
                    return time == "0" || time == process.StartTime.ToUniversalTime().Ticks.ToString(CultureInfo.InvariantCulture);
            }

            var stat = ReadText("/proc/" + processId.ToString(CultureInfo.InvariantCulture) + "/stat");
            var fields = stat.Substring(stat.LastIndexOf(')') + 1).Split(' ');
            return fields.Length > 20 && fields[20] == time; // field 22; the first two are cut off
        }

        /// <summary>Reads a file that another process may hold open and locked.</summary>
        private static string ReadText(string path)
        {
            var bytes = new byte[MaxEntry];
            var size = 0;
            using (var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete))
            {
                for (int count; size < MaxEntry && (count = file.Read(bytes, size, MaxEntry - size)) > 0;)
                    size += count;
            }

            return Encoding.UTF8.GetString(bytes, 0, size);
        }

        /// <summary>Returns whether a file or folder belongs to this user, and no other user can access it.</summary>
        private static bool IsPrivate(string path)
        {
            var status = new byte[256];
            const int CurrentFolder = -100, DoNotFollow = 0x100, Basic = 0x7FF;
            try
            {
                return statx(CurrentFolder, Encoding.UTF8.GetBytes(path + "\0"), DoNotFollow, Basic, status) == 0
                    && BitConverter.ToUInt32(status, 20) == geteuid() && (BitConverter.ToUInt16(status, 28) & 0x3F) == 0;
            }
            catch (Exception e) when (e is DllNotFoundException || e is EntryPointNotFoundException)
            {
                return false;
            }
        }

        [DllImport("libc")]
        private static extern int statx(int folder, byte[] path, int flags, uint mask, byte[] status);

        [DllImport("libc")]
        private static extern uint geteuid();
    }
}
