// A subject of the tokenizer subject protocol, version 1: a line of JSON in, a line out.
//
// Three methods are to be filled in: Load, Encode and Decode. They may throw what the library throws. As they stand,
// they are a tokenizer of bytes. What is logged goes to standard error.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;

internal static class Adapter
{
    private static readonly Dictionary<string, object> About = new Dictionary<string, object>
    {
        ["name"] = "bytes", // the name of your library; add a "version" if you publish releases
        ["language"] = "csharp",
        ["runtime"] = ".NET " + Environment.Version,
    };

    private static readonly Dictionary<string, object> Capabilities = new Dictionary<string, object>
    {
        ["encode"] = new Dictionary<string, object>(), // such as { ["add_special_tokens"] = "never" }
        ["decode"] = new Dictionary<string, object>(),
    };

    /// <summary>Here: what the library has.</summary>
    private sealed class Tokenizer
    {
    }

    /// <summary>The tokenizer of a model: its path, format and sha256, and its encoding where that is known.</summary>
    /// <remarks>options: of subject.toml, or of no kind. What is thrown here is the answer that the library does not
    /// read this model.</remarks>
    private static Tokenizer Load(JsonElement model, JsonElement options)
    {
        return new Tokenizer(); // here: the library reads model.GetProperty("path").GetString()
    }

    /// <summary>The ids of a text.</summary>
    private static IEnumerable<long> Encode(Tokenizer tokenizer, string text, bool addSpecialTokens)
    {
        return Encoding.UTF8.GetBytes(text).Select(one => (long)one);
    }

    /// <summary>The text of ids: a string, or its bytes as a byte[].</summary>
    private static object Decode(Tokenizer tokenizer, long[] ids, bool skipSpecialTokens)
    {
        var bytes = new byte[ids.Length];
        for (int i = 0; i < ids.Length; i++)
        {
            if (ids[i] < 0 || ids[i] > 255) throw new ArgumentException("no token has the id " + ids[i]);
            bytes[i] = (byte)ids[i];
        }
        return bytes;
    }

    // From here on nothing is to be changed.

    private static Tokenizer current;

    private static Dictionary<string, object> Fields(string name, object value)
    {
        return new Dictionary<string, object> { [name] = value };
    }

    private static JsonElement Field(JsonElement holder, string name, params JsonValueKind[] kinds)
    {
        if (holder.ValueKind == JsonValueKind.Object && holder.TryGetProperty(name, out JsonElement value)
            && kinds.Contains(value.ValueKind)) return value;
        throw new ArgumentException("no field '" + name + "', or of another kind");
    }

    private static bool Choice(JsonElement message, string name)
    {
        return Field(message, name, JsonValueKind.True, JsonValueKind.False).GetBoolean();
    }

    private static List<JsonElement> Items(JsonElement message)
    {
        return Field(message, "items", JsonValueKind.Array).EnumerateArray().ToList();
    }

    private static long IdOf(JsonElement value)
    {
        if (value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out long id)) return id;
        throw new ArgumentException("an id that is no integer");
    }

    /// <summary>The fields of the answer to a message; what is thrown is a mistake in the message, or here.</summary>
    private static Dictionary<string, object> Answer(JsonElement message)
    {
        string op = Field(message, "op", JsonValueKind.String).GetString();
        switch (op)
        {
            case "start":
            case "load":
                return Start(message);
            case "encode":
            {
                bool special = Choice(message, "add_special_tokens");
                List<string> texts = Items(message)
                    .Select(item => Field(item, "text", JsonValueKind.String).GetString()).ToList();
                return Results(texts, text => Fields("ids", Encode(current, text, special).ToArray()));
            }
            case "decode":
            {
                bool skips = Choice(message, "skip_special_tokens");
                List<long[]> lists = Items(message)
                    .Select(item => Field(item, "ids", JsonValueKind.Array).EnumerateArray().Select(IdOf).ToArray())
                    .ToList();
                return Results(lists, ids => Decoded(Decode(current, ids, skips)));
            }
            default:
                throw new ArgumentException("unknown op '" + op + "'");
        }
    }

    private static Dictionary<string, object> Start(JsonElement message)
    {
        JsonElement model = Field(message, "model", JsonValueKind.Object);
        message.TryGetProperty("options", out JsonElement options);
        current = null;
        try
        {
            current = Load(model, options);
        }
        catch (Exception error)
        {
            return Fields("unavailable", Fields("message", error.Message));
        }
        return Fields("started", new Dictionary<string, object>
        {
            ["protocol"] = 1,
            ["subject"] = About,
            ["capabilities"] = Capabilities,
        });
    }

    /// <summary>One result for each input; what the library throws is the answer to that one.</summary>
    private static Dictionary<string, object> Results<TInput>(List<TInput> inputs, Func<TInput, object> ask)
    {
        if (current == null) throw new ArgumentException("no model is loaded");
        var results = new List<object>();
        foreach (TInput input in inputs)
        {
            try
            {
                results.Add(ask(input));
            }
            catch (Exception error)
            {
                results.Add(Fields("refused", new Dictionary<string, object>
                {
                    ["message"] = error.Message,
                    ["type"] = error.GetType().FullName,
                }));
            }
        }
        return Fields("results", results);
    }

    private static Dictionary<string, object> Decoded(object text)
    {
        return text is byte[] bytes ? Fields("base64", Convert.ToBase64String(bytes)) : Fields("text", (string)text);
    }

    /// <summary>The answer to a line, or null for one without an id; and whether it is the end.</summary>
    private static Dictionary<string, object> AnswerLine(string line, out bool isEnd)
    {
        isEnd = false;
        JsonDocument document;
        long id;
        try
        {
            document = JsonDocument.Parse(line);
            id = IdOf(Field(document.RootElement, "id", JsonValueKind.Number));
        }
        catch (Exception error) when (error is JsonException || error is ArgumentException)
        {
            Console.Error.WriteLine("passed over a line: " + error.Message);
            return null;
        }
        using (document)
        {
            Dictionary<string, object> given;
            try
            {
                isEnd = Field(document.RootElement, "op", JsonValueKind.String).GetString() == "stop";
                given = isEnd ? new Dictionary<string, object>() : Answer(document.RootElement);
            }
            catch (Exception error)
            {
                given = Fields("error", Fields("message", error.Message));
            }
            given["id"] = id;
            return given;
        }
    }

    private static int Main()
    {
        Stream answers = Console.OpenStandardOutput();
        Console.SetOut(Console.Error); // what the library prints is no answer
        var lines = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false), false, 1 << 16);
        for (string line = lines.ReadLine(); line != null; line = lines.ReadLine())
        {
            Dictionary<string, object> given = AnswerLine(line, out bool isEnd);
            if (isEnd) break;
            if (given == null) continue;
            byte[] written = Encoding.UTF8.GetBytes(JsonSerializer.Serialize(given) + "\n");
            answers.Write(written, 0, written.Length);
            answers.Flush();
        }
        return 0;
    }
}
