/* Written by 'reloaded-messaging export --to c'. A change is lost when the file is written again.
 * One C file of the program defines RM_CONTRACTS_IMPLEMENTATION before it includes this file. */
#ifndef RM_CONTRACTS_H
#define RM_CONTRACTS_H

#include "reloaded_messaging.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The state of a mod. */
typedef uint8_t ModState;
#define ModState_Unloaded ((ModState)0)
#define ModState_Running ((ModState)1)
#define ModState_Suspended ((ModState)2)

typedef struct ModConfig ModConfig;
typedef struct PooledModConfig PooledModConfig;
typedef struct ModList ModList;
typedef struct ModEntry ModEntry;
typedef struct SetAsync SetAsync;
typedef struct ListAsync ListAsync;
typedef struct SetAsyncReply SetAsyncReply;

/* The configuration of a mod: the fields of a Reloaded-II ModConfig.json. Missing fields are not written. */
struct ModConfig {
    rm_text ModId;
    rm_text ModName;
    rm_text ModAuthor;
    rm_text ModVersion;
    rm_text ModDescription;
    rm_text ModDll;
    rm_text ModIcon;
    rm_text ModR2RManagedDll32;
    rm_text ModR2RManagedDll64;
    rm_text ModNativeDll32;
    rm_text ModNativeDll64;
    struct { rm_text *items; uint32_t count; } Tags;
    struct { bool has_value; bool value; } CanUnload;
    struct { bool has_value; bool value; } HasExports;
    struct { bool has_value; bool value; } IsLibrary;
    rm_text ReleaseMetadataFileName;
    /* The text of PluginData, without white space. */
    rm_text PluginJson;
    struct { bool has_value; bool value; } IsUniversalMod;
    struct { rm_text *items; uint32_t count; } ModDependencies;
    struct { rm_text *items; uint32_t count; } OptionalDependencies;
    struct { rm_text *items; uint32_t count; } SupportedAppId;
    rm_text ProjectUrl;
    rm_text CreatorUrl;
    struct { bool has_value; bool value; } IsSeparator;
};

/* The same configuration, read into rented instances with interned strings. Suited to a program that receives many configurations repeatedly. */
struct PooledModConfig {
    rm_text ModId;
    rm_text ModName;
    rm_text ModAuthor;
    rm_text ModVersion;
    rm_text ModDescription;
    rm_text ModDll;
    rm_text ModIcon;
    rm_text ModR2RManagedDll32;
    rm_text ModR2RManagedDll64;
    rm_text ModNativeDll32;
    rm_text ModNativeDll64;
    struct { rm_text *items; uint32_t count; } Tags;
    struct { bool has_value; bool value; } CanUnload;
    struct { bool has_value; bool value; } HasExports;
    struct { bool has_value; bool value; } IsLibrary;
    rm_text ReleaseMetadataFileName;
    /* The text of PluginData, without white space. */
    rm_text PluginJson;
    struct { bool has_value; bool value; } IsUniversalMod;
    struct { rm_text *items; uint32_t count; } ModDependencies;
    struct { rm_text *items; uint32_t count; } OptionalDependencies;
    struct { rm_text *items; uint32_t count; } SupportedAppId;
    rm_text ProjectUrl;
    rm_text CreatorUrl;
    struct { bool has_value; bool value; } IsSeparator;
};

/* The mods of a game, and the id of its process. */
struct ModList {
    int32_t ProcessId;
    struct { struct ModEntry *items; uint32_t count; } Mods;
};

/* One mod: its whole configuration, its state, and the number of frames in which it ran. */
struct ModEntry {
    const struct ModConfig *Config;
    uint8_t State /* ModState */;
    int64_t Frames;
};

/* Loads, unloads, suspends or resumes a mod, and returns its state before. A repeated call has no further effect. */
struct SetAsync {
    rm_text mod;
    uint8_t state /* ModState */;
};

struct ListAsync {
    char unused;
};

/* Loads, unloads, suspends or resumes a mod, and returns its state before. A repeated call has no further effect. */
struct SetAsyncReply {
    uint8_t Result /* ModState */;
};

/* Set the defaults of a message, and write and read its payload. */
void ModConfig_init(ModConfig *value);
void ModConfig_pack(rm_writer *writer, const ModConfig *value);
void ModConfig_unpack(rm_reader *reader, ModConfig *value);
extern const rm_contract ModConfig_contract;
void PooledModConfig_init(PooledModConfig *value);
void PooledModConfig_pack(rm_writer *writer, const PooledModConfig *value);
void PooledModConfig_unpack(rm_reader *reader, PooledModConfig *value);
extern const rm_contract PooledModConfig_contract;
void ModList_init(ModList *value);
void ModList_pack(rm_writer *writer, const ModList *value);
void ModList_unpack(rm_reader *reader, ModList *value);
extern const rm_contract ModList_contract;
void ModEntry_init(ModEntry *value);
void ModEntry_pack(rm_writer *writer, const ModEntry *value);
void ModEntry_unpack(rm_reader *reader, ModEntry *value);
extern const rm_contract ModEntry_contract;
void SetAsync_init(SetAsync *value);
void SetAsync_pack(rm_writer *writer, const SetAsync *value);
void SetAsync_unpack(rm_reader *reader, SetAsync *value);
extern const rm_contract SetAsync_contract;
void ListAsync_init(ListAsync *value);
void ListAsync_pack(rm_writer *writer, const ListAsync *value);
void ListAsync_unpack(rm_reader *reader, ListAsync *value);
extern const rm_contract ListAsync_contract;
void SetAsyncReply_init(SetAsyncReply *value);
void SetAsyncReply_pack(rm_writer *writer, const SetAsyncReply *value);
void SetAsyncReply_unpack(rm_reader *reader, SetAsyncReply *value);
extern const rm_contract SetAsyncReply_contract;

/* All of the contracts, for rm_config. */
enum { rm_contract_count = 7 };
extern const rm_contract *const rm_contracts[rm_contract_count];

#ifdef __cplusplus
}
#endif

#ifdef RM_CONTRACTS_IMPLEMENTATION

#include <math.h>
#include <string.h>

void ModConfig_init(ModConfig *value)
{
    memset(value, 0, sizeof *value);
    value->ModId = (rm_text){"", 0};
}

void ModConfig_pack(rm_writer *writer, const ModConfig *value)
{
    rm_write_text(writer, value->ModId, false);
    rm_write_text(writer, value->ModName, true);
    rm_write_text(writer, value->ModAuthor, true);
    rm_write_text(writer, value->ModVersion, true);
    rm_write_text(writer, value->ModDescription, true);
    rm_write_text(writer, value->ModDll, true);
    rm_write_text(writer, value->ModIcon, true);
    rm_write_text(writer, value->ModR2RManagedDll32, true);
    rm_write_text(writer, value->ModR2RManagedDll64, true);
    rm_write_text(writer, value->ModNativeDll32, true);
    rm_write_text(writer, value->ModNativeDll64, true);
    if (rm_write_count(writer, value->Tags.items, value->Tags.count, true))
    {
        for (uint32_t i3 = 0; i3 < value->Tags.count && writer->status == RM_OK; i3++)
        {
            rm_write_text(writer, value->Tags.items[i3], false);
        }
    }
    rm_write_u1(writer, value->CanUnload.has_value);
    if (value->CanUnload.has_value)
    {
        rm_write_u1(writer, value->CanUnload.value);
    }
    rm_write_u1(writer, value->HasExports.has_value);
    if (value->HasExports.has_value)
    {
        rm_write_u1(writer, value->HasExports.value);
    }
    rm_write_u1(writer, value->IsLibrary.has_value);
    if (value->IsLibrary.has_value)
    {
        rm_write_u1(writer, value->IsLibrary.value);
    }
    rm_write_text(writer, value->ReleaseMetadataFileName, true);
    rm_write_text(writer, value->PluginJson, true);
    rm_write_u1(writer, value->IsUniversalMod.has_value);
    if (value->IsUniversalMod.has_value)
    {
        rm_write_u1(writer, value->IsUniversalMod.value);
    }
    if (rm_write_count(writer, value->ModDependencies.items, value->ModDependencies.count, true))
    {
        for (uint32_t i3 = 0; i3 < value->ModDependencies.count && writer->status == RM_OK; i3++)
        {
            rm_write_text(writer, value->ModDependencies.items[i3], false);
        }
    }
    if (rm_write_count(writer, value->OptionalDependencies.items, value->OptionalDependencies.count, true))
    {
        for (uint32_t i3 = 0; i3 < value->OptionalDependencies.count && writer->status == RM_OK; i3++)
        {
            rm_write_text(writer, value->OptionalDependencies.items[i3], false);
        }
    }
    if (rm_write_count(writer, value->SupportedAppId.items, value->SupportedAppId.count, true))
    {
        for (uint32_t i3 = 0; i3 < value->SupportedAppId.count && writer->status == RM_OK; i3++)
        {
            rm_write_text(writer, value->SupportedAppId.items[i3], false);
        }
    }
    rm_write_text(writer, value->ProjectUrl, true);
    rm_write_text(writer, value->CreatorUrl, true);
    rm_write_u1(writer, value->IsSeparator.has_value);
    if (value->IsSeparator.has_value)
    {
        rm_write_u1(writer, value->IsSeparator.value);
    }
}

void ModConfig_unpack(rm_reader *reader, ModConfig *value)
{
    ModConfig_init(value);
    if (rm_at_end(reader))
        return;
    value->ModId = rm_read_text(reader, false);
    if (rm_at_end(reader))
        return;
    value->ModName = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModAuthor = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModVersion = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModDescription = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModDll = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModIcon = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModR2RManagedDll32 = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModR2RManagedDll64 = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModNativeDll32 = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModNativeDll64 = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->Tags.items = rm_read_items(reader, &value->Tags.count, sizeof *value->Tags.items, true);
    for (uint32_t i2 = 0; i2 < value->Tags.count && reader->status == RM_OK; i2++)
    {
        value->Tags.items[i2] = rm_read_text(reader, false);
    }
    if (rm_at_end(reader))
        return;
    value->CanUnload.has_value = rm_read_b(reader);
    if (value->CanUnload.has_value)
    {
        value->CanUnload.value = rm_read_b(reader);
    }
    if (rm_at_end(reader))
        return;
    value->HasExports.has_value = rm_read_b(reader);
    if (value->HasExports.has_value)
    {
        value->HasExports.value = rm_read_b(reader);
    }
    if (rm_at_end(reader))
        return;
    value->IsLibrary.has_value = rm_read_b(reader);
    if (value->IsLibrary.has_value)
    {
        value->IsLibrary.value = rm_read_b(reader);
    }
    if (rm_at_end(reader))
        return;
    value->ReleaseMetadataFileName = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->PluginJson = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->IsUniversalMod.has_value = rm_read_b(reader);
    if (value->IsUniversalMod.has_value)
    {
        value->IsUniversalMod.value = rm_read_b(reader);
    }
    if (rm_at_end(reader))
        return;
    value->ModDependencies.items = rm_read_items(reader, &value->ModDependencies.count, sizeof *value->ModDependencies.items, true);
    for (uint32_t i2 = 0; i2 < value->ModDependencies.count && reader->status == RM_OK; i2++)
    {
        value->ModDependencies.items[i2] = rm_read_text(reader, false);
    }
    if (rm_at_end(reader))
        return;
    value->OptionalDependencies.items = rm_read_items(reader, &value->OptionalDependencies.count, sizeof *value->OptionalDependencies.items, true);
    for (uint32_t i2 = 0; i2 < value->OptionalDependencies.count && reader->status == RM_OK; i2++)
    {
        value->OptionalDependencies.items[i2] = rm_read_text(reader, false);
    }
    if (rm_at_end(reader))
        return;
    value->SupportedAppId.items = rm_read_items(reader, &value->SupportedAppId.count, sizeof *value->SupportedAppId.items, true);
    for (uint32_t i2 = 0; i2 < value->SupportedAppId.count && reader->status == RM_OK; i2++)
    {
        value->SupportedAppId.items[i2] = rm_read_text(reader, false);
    }
    if (rm_at_end(reader))
        return;
    value->ProjectUrl = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->CreatorUrl = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->IsSeparator.has_value = rm_read_b(reader);
    if (value->IsSeparator.has_value)
    {
        value->IsSeparator.value = rm_read_b(reader);
    }
}

static void ModConfig_pack_any(rm_writer *writer, const void *value) { ModConfig_pack(writer, value); }
static void ModConfig_unpack_any(rm_reader *reader, void *value) { ModConfig_unpack(reader, value); }

void PooledModConfig_init(PooledModConfig *value)
{
    memset(value, 0, sizeof *value);
    value->ModId = (rm_text){"", 0};
}

void PooledModConfig_pack(rm_writer *writer, const PooledModConfig *value)
{
    rm_write_text(writer, value->ModId, false);
    rm_write_text(writer, value->ModName, true);
    rm_write_text(writer, value->ModAuthor, true);
    rm_write_text(writer, value->ModVersion, true);
    rm_write_text(writer, value->ModDescription, true);
    rm_write_text(writer, value->ModDll, true);
    rm_write_text(writer, value->ModIcon, true);
    rm_write_text(writer, value->ModR2RManagedDll32, true);
    rm_write_text(writer, value->ModR2RManagedDll64, true);
    rm_write_text(writer, value->ModNativeDll32, true);
    rm_write_text(writer, value->ModNativeDll64, true);
    if (rm_write_count(writer, value->Tags.items, value->Tags.count, true))
    {
        for (uint32_t i3 = 0; i3 < value->Tags.count && writer->status == RM_OK; i3++)
        {
            rm_write_text(writer, value->Tags.items[i3], false);
        }
    }
    rm_write_u1(writer, value->CanUnload.has_value);
    if (value->CanUnload.has_value)
    {
        rm_write_u1(writer, value->CanUnload.value);
    }
    rm_write_u1(writer, value->HasExports.has_value);
    if (value->HasExports.has_value)
    {
        rm_write_u1(writer, value->HasExports.value);
    }
    rm_write_u1(writer, value->IsLibrary.has_value);
    if (value->IsLibrary.has_value)
    {
        rm_write_u1(writer, value->IsLibrary.value);
    }
    rm_write_text(writer, value->ReleaseMetadataFileName, true);
    rm_write_text(writer, value->PluginJson, true);
    rm_write_u1(writer, value->IsUniversalMod.has_value);
    if (value->IsUniversalMod.has_value)
    {
        rm_write_u1(writer, value->IsUniversalMod.value);
    }
    if (rm_write_count(writer, value->ModDependencies.items, value->ModDependencies.count, true))
    {
        for (uint32_t i3 = 0; i3 < value->ModDependencies.count && writer->status == RM_OK; i3++)
        {
            rm_write_text(writer, value->ModDependencies.items[i3], false);
        }
    }
    if (rm_write_count(writer, value->OptionalDependencies.items, value->OptionalDependencies.count, true))
    {
        for (uint32_t i3 = 0; i3 < value->OptionalDependencies.count && writer->status == RM_OK; i3++)
        {
            rm_write_text(writer, value->OptionalDependencies.items[i3], false);
        }
    }
    if (rm_write_count(writer, value->SupportedAppId.items, value->SupportedAppId.count, true))
    {
        for (uint32_t i3 = 0; i3 < value->SupportedAppId.count && writer->status == RM_OK; i3++)
        {
            rm_write_text(writer, value->SupportedAppId.items[i3], false);
        }
    }
    rm_write_text(writer, value->ProjectUrl, true);
    rm_write_text(writer, value->CreatorUrl, true);
    rm_write_u1(writer, value->IsSeparator.has_value);
    if (value->IsSeparator.has_value)
    {
        rm_write_u1(writer, value->IsSeparator.value);
    }
}

void PooledModConfig_unpack(rm_reader *reader, PooledModConfig *value)
{
    PooledModConfig_init(value);
    if (rm_at_end(reader))
        return;
    value->ModId = rm_read_text(reader, false);
    if (rm_at_end(reader))
        return;
    value->ModName = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModAuthor = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModVersion = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModDescription = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModDll = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModIcon = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModR2RManagedDll32 = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModR2RManagedDll64 = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModNativeDll32 = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->ModNativeDll64 = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->Tags.items = rm_read_items(reader, &value->Tags.count, sizeof *value->Tags.items, true);
    for (uint32_t i2 = 0; i2 < value->Tags.count && reader->status == RM_OK; i2++)
    {
        value->Tags.items[i2] = rm_read_text(reader, false);
    }
    if (rm_at_end(reader))
        return;
    value->CanUnload.has_value = rm_read_b(reader);
    if (value->CanUnload.has_value)
    {
        value->CanUnload.value = rm_read_b(reader);
    }
    if (rm_at_end(reader))
        return;
    value->HasExports.has_value = rm_read_b(reader);
    if (value->HasExports.has_value)
    {
        value->HasExports.value = rm_read_b(reader);
    }
    if (rm_at_end(reader))
        return;
    value->IsLibrary.has_value = rm_read_b(reader);
    if (value->IsLibrary.has_value)
    {
        value->IsLibrary.value = rm_read_b(reader);
    }
    if (rm_at_end(reader))
        return;
    value->ReleaseMetadataFileName = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->PluginJson = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->IsUniversalMod.has_value = rm_read_b(reader);
    if (value->IsUniversalMod.has_value)
    {
        value->IsUniversalMod.value = rm_read_b(reader);
    }
    if (rm_at_end(reader))
        return;
    value->ModDependencies.items = rm_read_items(reader, &value->ModDependencies.count, sizeof *value->ModDependencies.items, true);
    for (uint32_t i2 = 0; i2 < value->ModDependencies.count && reader->status == RM_OK; i2++)
    {
        value->ModDependencies.items[i2] = rm_read_text(reader, false);
    }
    if (rm_at_end(reader))
        return;
    value->OptionalDependencies.items = rm_read_items(reader, &value->OptionalDependencies.count, sizeof *value->OptionalDependencies.items, true);
    for (uint32_t i2 = 0; i2 < value->OptionalDependencies.count && reader->status == RM_OK; i2++)
    {
        value->OptionalDependencies.items[i2] = rm_read_text(reader, false);
    }
    if (rm_at_end(reader))
        return;
    value->SupportedAppId.items = rm_read_items(reader, &value->SupportedAppId.count, sizeof *value->SupportedAppId.items, true);
    for (uint32_t i2 = 0; i2 < value->SupportedAppId.count && reader->status == RM_OK; i2++)
    {
        value->SupportedAppId.items[i2] = rm_read_text(reader, false);
    }
    if (rm_at_end(reader))
        return;
    value->ProjectUrl = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->CreatorUrl = rm_read_text(reader, true);
    if (rm_at_end(reader))
        return;
    value->IsSeparator.has_value = rm_read_b(reader);
    if (value->IsSeparator.has_value)
    {
        value->IsSeparator.value = rm_read_b(reader);
    }
}

static void PooledModConfig_pack_any(rm_writer *writer, const void *value) { PooledModConfig_pack(writer, value); }
static void PooledModConfig_unpack_any(rm_reader *reader, void *value) { PooledModConfig_unpack(reader, value); }

void ModList_init(ModList *value)
{
    memset(value, 0, sizeof *value);
}

void ModList_pack(rm_writer *writer, const ModList *value)
{
    rm_write_u4(writer, (uint32_t)value->ProcessId);
    if (rm_write_count(writer, value->Mods.items, value->Mods.count, false))
    {
        for (uint32_t i3 = 0; i3 < value->Mods.count && writer->status == RM_OK; i3++)
        {
            {
                size_t start3 = rm_begin(writer);
                if (writer->status == RM_OK)
                    ModEntry_pack(writer, &value->Mods.items[i3]);
                rm_finish(writer, start3);
            }
        }
    }
}

void ModList_unpack(rm_reader *reader, ModList *value)
{
    ModList_init(value);
    if (rm_at_end(reader))
        return;
    value->ProcessId = (int32_t)rm_read_u4(reader);
    if (rm_at_end(reader))
        return;
    value->Mods.items = rm_read_items(reader, &value->Mods.count, sizeof *value->Mods.items, false);
    for (uint32_t i2 = 0; i2 < value->Mods.count && reader->status == RM_OK; i2++)
    {
        {
            rm_scope scope2;
            if (rm_enter(reader, &scope2, false))
            {
                ModEntry_unpack(reader, &value->Mods.items[i2]);
                rm_leave(reader, &scope2);
            }
        }
    }
}

static void ModList_pack_any(rm_writer *writer, const void *value) { ModList_pack(writer, value); }
static void ModList_unpack_any(rm_reader *reader, void *value) { ModList_unpack(reader, value); }

void ModEntry_init(ModEntry *value)
{
    memset(value, 0, sizeof *value);
}

void ModEntry_pack(rm_writer *writer, const ModEntry *value)
{
    if (value->Config == NULL)
        rm_write_null(writer, false);
    else
    {
        size_t start1 = rm_begin(writer);
        if (writer->status == RM_OK)
            ModConfig_pack(writer, value->Config);
        rm_finish(writer, start1);
    }
    rm_write_u1(writer, (uint8_t)value->State);
    rm_write_u8(writer, (uint64_t)value->Frames);
}

void ModEntry_unpack(rm_reader *reader, ModEntry *value)
{
    ModEntry_init(value);
    {
        rm_scope scope1;
        if (rm_enter(reader, &scope1, false))
        {
            ModConfig *inner1 = rm_take(reader, sizeof *inner1);
            if (inner1 != NULL)
                ModConfig_unpack(reader, inner1);
            value->Config = inner1;
            rm_leave(reader, &scope1);
        }
    }
    if (rm_at_end(reader))
        return;
    value->State = (uint8_t)rm_read_u1(reader);
    if (rm_at_end(reader))
        return;
    value->Frames = (int64_t)rm_read_u8(reader);
}

static void ModEntry_pack_any(rm_writer *writer, const void *value) { ModEntry_pack(writer, value); }
static void ModEntry_unpack_any(rm_reader *reader, void *value) { ModEntry_unpack(reader, value); }

void SetAsync_init(SetAsync *value)
{
    memset(value, 0, sizeof *value);
    value->mod = rm_string("");
}

void SetAsync_pack(rm_writer *writer, const SetAsync *value)
{
    rm_write_text(writer, value->mod, false);
    rm_write_u1(writer, (uint8_t)value->state);
}

void SetAsync_unpack(rm_reader *reader, SetAsync *value)
{
    SetAsync_init(value);
    if (rm_at_end(reader))
        return;
    value->mod = rm_read_text(reader, false);
    if (rm_at_end(reader))
        return;
    value->state = (uint8_t)rm_read_u1(reader);
}

static void SetAsync_pack_any(rm_writer *writer, const void *value) { SetAsync_pack(writer, value); }
static void SetAsync_unpack_any(rm_reader *reader, void *value) { SetAsync_unpack(reader, value); }

void ListAsync_init(ListAsync *value)
{
    memset(value, 0, sizeof *value);
}

void ListAsync_pack(rm_writer *writer, const ListAsync *value)
{
    (void)writer, (void)value;
}

void ListAsync_unpack(rm_reader *reader, ListAsync *value)
{
    ListAsync_init(value);
    (void)reader;
}

static void ListAsync_pack_any(rm_writer *writer, const void *value) { ListAsync_pack(writer, value); }
static void ListAsync_unpack_any(rm_reader *reader, void *value) { ListAsync_unpack(reader, value); }

void SetAsyncReply_init(SetAsyncReply *value)
{
    memset(value, 0, sizeof *value);
}

void SetAsyncReply_pack(rm_writer *writer, const SetAsyncReply *value)
{
    rm_write_u1(writer, (uint8_t)value->Result);
}

void SetAsyncReply_unpack(rm_reader *reader, SetAsyncReply *value)
{
    SetAsyncReply_init(value);
    if (rm_at_end(reader))
        return;
    value->Result = (uint8_t)rm_read_u1(reader);
}

static void SetAsyncReply_pack_any(rm_writer *writer, const void *value) { SetAsyncReply_pack(writer, value); }
static void SetAsyncReply_unpack_any(rm_reader *reader, void *value) { SetAsyncReply_unpack(reader, value); }

static const uint64_t ModConfig_shape[24] = {UINT64_C(0x0000000117465061), UINT64_C(0x000000029593A7CF), UINT64_C(0x000000030CD2FF81), UINT64_C(0x0000000474DC1930), UINT64_C(0x00000005E5F81931), UINT64_C(0x00000006019D72A0), UINT64_C(0x00000007113C966C), UINT64_C(0x00000008834A76F7), UINT64_C(0x00000009B3C307CF), UINT64_C(0x0000000A71C83B9A), UINT64_C(0x0000000BFD128DFC), UINT64_C(0x0000000C753BD570), UINT64_C(0x0000000DD68CFA5A), UINT64_C(0x0000000E3B08A47E), UINT64_C(0x0000000FC51DB9E2), UINT64_C(0x0000001026227602), UINT64_C(0x0000001151711AF2), UINT64_C(0x00000012F3584CDE), UINT64_C(0x0000001396268EBE), UINT64_C(0x000000143A0399EA), UINT64_C(0x0000001535A8A99D), UINT64_C(0x000000169BE51EB6), UINT64_C(0x00000017E93F4F52), UINT64_C(0x00000018E198AAFE)};
const rm_contract ModConfig_contract = {1u, 1, "ModLoader.ModConfig", "binary", NULL, NULL, ModConfig_shape, 24, ModConfig_pack_any, ModConfig_unpack_any, sizeof(ModConfig), false};
static const uint64_t PooledModConfig_shape[24] = {UINT64_C(0x0000000117465061), UINT64_C(0x000000029593A7CF), UINT64_C(0x000000030CD2FF81), UINT64_C(0x0000000474DC1930), UINT64_C(0x00000005E5F81931), UINT64_C(0x00000006019D72A0), UINT64_C(0x00000007113C966C), UINT64_C(0x00000008834A76F7), UINT64_C(0x00000009B3C307CF), UINT64_C(0x0000000A71C83B9A), UINT64_C(0x0000000BFD128DFC), UINT64_C(0x0000000C753BD570), UINT64_C(0x0000000DD68CFA5A), UINT64_C(0x0000000E3B08A47E), UINT64_C(0x0000000FC51DB9E2), UINT64_C(0x0000001026227602), UINT64_C(0x0000001151711AF2), UINT64_C(0x00000012F3584CDE), UINT64_C(0x0000001396268EBE), UINT64_C(0x000000143A0399EA), UINT64_C(0x0000001535A8A99D), UINT64_C(0x000000169BE51EB6), UINT64_C(0x00000017E93F4F52), UINT64_C(0x00000018E198AAFE)};
const rm_contract PooledModConfig_contract = {2u, 1, "ModLoader.PooledModConfig", "binary", NULL, NULL, PooledModConfig_shape, 24, PooledModConfig_pack_any, PooledModConfig_unpack_any, sizeof(PooledModConfig), false};
static const uint64_t ModList_shape[2] = {UINT64_C(0x00000001C0A0C800), UINT64_C(0x0000000254A539B7)};
const rm_contract ModList_contract = {4u, 1, "ModLoader.Messaging.ModList", "binary", "brotli", NULL, ModList_shape, 2, ModList_pack_any, ModList_unpack_any, sizeof(ModList), false};
static const uint64_t ModEntry_shape[3] = {UINT64_C(0x00000001A8026C91), UINT64_C(0x00000002CBDEDB38), UINT64_C(0x00000003F5993C4D)};
const rm_contract ModEntry_contract = {5u, 1, "ModLoader.Messaging.ModEntry", "binary", NULL, NULL, ModEntry_shape, 3, ModEntry_pack_any, ModEntry_unpack_any, sizeof(ModEntry), false};
static const uint64_t SetAsync_shape[2] = {UINT64_C(0x000000016F59465A), UINT64_C(0x00000002906BA271)};
const rm_contract SetAsync_contract = {57032800u, 1, "ModLoader.Messaging.IModLoader.SetAsync", "binary", NULL, &SetAsyncReply_contract, SetAsync_shape, 2, SetAsync_pack_any, SetAsync_unpack_any, sizeof(SetAsync), true};
const rm_contract ListAsync_contract = {103137984u, 1, "ModLoader.Messaging.IModLoader.ListAsync", "binary", NULL, &ModList_contract, NULL, 0, ListAsync_pack_any, ListAsync_unpack_any, sizeof(ListAsync), true};
static const uint64_t SetAsyncReply_shape[1] = {UINT64_C(0x00000001D38B995A)};
const rm_contract SetAsyncReply_contract = {204074722u, 1, "ModLoader.Messaging.IModLoader.SetAsync.Reply", "binary", NULL, NULL, SetAsyncReply_shape, 1, SetAsyncReply_pack_any, SetAsyncReply_unpack_any, sizeof(SetAsyncReply), false};

const rm_contract *const rm_contracts[rm_contract_count] = {&ModConfig_contract, &PooledModConfig_contract, &ModList_contract, &ModEntry_contract, &SetAsync_contract, &ListAsync_contract, &SetAsyncReply_contract};

#endif
#endif
