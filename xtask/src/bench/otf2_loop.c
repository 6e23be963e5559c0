/* The bare reading loop of the OTF2 C library: every event of every location is decoded and handed to
 * an empty callback, one location after another, on one core. This is the least that any tool built on
 * that library pays.
 *
 * Usage: otf2_loop x.otf2
 * Prints {"events":N,"seconds":S}; the time is that of the events alone, without the definitions. */

#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define COMMON OTF2_LocationRef l, OTF2_TimeStamp t, uint64_t p, void *u, OTF2_AttributeList *a
#define EMPTY { return OTF2_CALLBACK_SUCCESS; }

static OTF2_CallbackCode region(COMMON, OTF2_RegionRef r) EMPTY
static OTF2_CallbackCode message(COMMON, uint32_t peer, OTF2_CommRef c, uint32_t tag, uint64_t n) EMPTY
static OTF2_CallbackCode imessage(COMMON, uint32_t peer, OTF2_CommRef c, uint32_t tag, uint64_t n, uint64_t q) EMPTY
static OTF2_CallbackCode request(COMMON, uint64_t q) EMPTY
static OTF2_CallbackCode plain(COMMON) EMPTY
static OTF2_CallbackCode collective(COMMON, OTF2_CollectiveOp op, OTF2_CommRef c, uint32_t root, uint64_t out,
                                    uint64_t in) EMPTY
static OTF2_CallbackCode metric(COMMON, OTF2_MetricRef m, uint8_t n, const OTF2_Type *types,
                                const OTF2_MetricValue *values) EMPTY

struct locations {
    uint64_t *ids;
    size_t count, room;
};

static OTF2_CallbackCode add_location(void *user, OTF2_LocationRef id, OTF2_StringRef name, OTF2_LocationType type,
                                      uint64_t events, OTF2_LocationGroupRef group) {
    struct locations *all = user;
    if (all->count == all->room) {
        all->room = all->room ? 2 * all->room : 1024;
        all->ids = realloc(all->ids, all->room * sizeof *all->ids);
        if (!all->ids) return OTF2_CALLBACK_INTERRUPT;
    }
    all->ids[all->count++] = id;
    return OTF2_CALLBACK_SUCCESS;
}

static void check(OTF2_ErrorCode code, const char *what) {
    if (code == OTF2_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, OTF2_Error_GetDescription(code));
    exit(1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    OTF2_Reader *reader = argc == 2 ? OTF2_Reader_Open(argv[1]) : NULL;
    if (!reader) {
        fprintf(stderr, "usage: otf2_loop x.otf2\n");
        return 2;
    }
    check(OTF2_Reader_SetSerialCollectiveCallbacks(reader), "collectives");

    struct locations all = {0};
    uint64_t read = 0, events = 0;
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *on_definition = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(on_definition, add_location);
    check(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, on_definition, &all), "definitions");
    check(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read), "definitions");

    for (size_t i = 0; i < all.count; i++) check(OTF2_Reader_SelectLocation(reader, all.ids[i]), "location");
    /* Local definitions hold the tables by which the library translates a location's ids. */
    if (OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS) {
        for (size_t i = 0; i < all.count; i++) {
            OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, all.ids[i]);
            if (!local) continue;
            check(OTF2_Reader_ReadAllLocalDefinitions(reader, local, &read), "local definitions");
            check(OTF2_Reader_CloseDefReader(reader, local), "local definitions");
        }
        check(OTF2_Reader_CloseDefFiles(reader), "local definitions");
    }

    OTF2_EvtReaderCallbacks *on = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(on, region);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(on, region);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(on, message);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(on, message);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(on, imessage);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(on, imessage);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(on, request);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(on, request);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(on, plain);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(on, collective);
    OTF2_EvtReaderCallbacks_SetMetricCallback(on, metric);

    double start = now();
    check(OTF2_Reader_OpenEvtFiles(reader), "event files");
    for (size_t i = 0; i < all.count; i++) {
        OTF2_EvtReader *local = OTF2_Reader_GetEvtReader(reader, all.ids[i]);
        if (!local) continue;
        check(OTF2_Reader_RegisterEvtCallbacks(reader, local, on, NULL), "events");
        check(OTF2_Reader_ReadAllLocalEvents(reader, local, &read), "events");
        check(OTF2_Reader_CloseEvtReader(reader, local), "events");
        events += read;
    }
    double seconds = now() - start;
    printf("{\"events\":%" PRIu64 ",\"seconds\":%.9f}\n", events, seconds);
    OTF2_EvtReaderCallbacks_Delete(on);
    OTF2_GlobalDefReaderCallbacks_Delete(on_definition);
    OTF2_Reader_Close(reader);
    free(all.ids);
    return 0;
}
