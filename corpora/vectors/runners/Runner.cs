// Vectors for C#:  gzip -dc core.json.gz | dotnet run Runner.cs tokenizer.json   (.NET 10; before, a project with this file)
// Put your library into Tokenizer; it throws where it refuses. Streams and settings are left out.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Text.Json;

var vectors = JsonDocument.Parse(Console.OpenStandardInput()).RootElement;
var tokenizer = new Tokenizer(args[0]);
int passed = 0, failed = 0, acceptable = 0, skipped = 0;
foreach (var group in vectors.GetProperty("testGroups").EnumerateArray())
foreach (var test in group.GetProperty("tests").EnumerateArray())
{
    string type = group.GetProperty("type").GetString()!, result = test.GetProperty("result").GetString()!;
    if (type is not ("encode" or "decode" or "batch") || (type == "encode" && !test.TryGetProperty("text", out _))) { skipped++; continue; }
    bool right;
    try { right = IsRight(group, test) && result != "refused"; } catch (Exception) { right = result == "refused"; }
    if (right) passed++;
    else if (result == "acceptable") acceptable++;
    else
    {
        failed++;
        var flags = test.GetProperty("flags").EnumerateArray().Select(flag => flag.GetString());
        Console.WriteLine($"FAIL {test.GetProperty("tcId")} {type} {string.Join("; ", flags)}");
    }
}
Console.WriteLine($"{passed} passed, {failed} failed, {acceptable} acceptable, {skipped} skipped");
return failed > 0 || passed == 0 ? 1 : 0;

bool IsRight(JsonElement group, JsonElement test)
{
    if (group.GetProperty("type").GetString() == "decode")
        return tokenizer.Decode(Ids(test.GetProperty("ids")), group.GetProperty("skipSpecialTokens").GetBoolean())
            == (test.TryGetProperty("text", out var right) ? right.GetString() : null);
    bool special = group.GetProperty("addSpecialTokens").GetBoolean();
    if (group.GetProperty("type").GetString() == "encode")
    {
        var found = tokenizer.Encode(test.GetProperty("text").GetString()!, special);
        return test.TryGetProperty("ids", out var ids) && found.SequenceEqual(Ids(ids));
    }
    return test.GetProperty("texts").EnumerateArray().Zip(test.GetProperty("ids").EnumerateArray())
        .All(pair => tokenizer.Encode(pair.First.GetString()!, special).SequenceEqual(Ids(pair.Second)));
}

static List<uint> Ids(JsonElement ids) => ids.EnumerateArray().Select(id => id.GetUInt32()).ToList();

class Tokenizer // a toy, whose ids are the bytes of UTF-8
{
    public Tokenizer(string path) { }
    public List<uint> Encode(string text, bool addSpecialTokens) => Encoding.UTF8.GetBytes(text).Select(one => (uint)one).ToList();
    public string Decode(List<uint> ids, bool skipSpecialTokens) =>
        Encoding.UTF8.GetString(ids.Select(id => id < 256 ? (byte)id : throw new ArgumentException("no id")).ToArray());
}
