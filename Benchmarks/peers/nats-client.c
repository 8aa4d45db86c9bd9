/* One subscriber and one publisher on a NATS server: nats-client PORT COUNT paced|flood|durable */
#include "measure.h"
#include <nats/nats.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static long count;
static atomic_long heard;
static int64_t *latency, first, last;

static void check(natsStatus status, const char *what)
{
    if (status == NATS_OK) return;
    fprintf(stderr, "%s: %s\n", what, natsStatus_GetText(status));
    exit(1);
}

static natsConnection *connect_to(const char *port)
{
    char url[64];
    natsOptions *options;
    natsConnection *connection;
    snprintf(url, sizeof url, "nats://127.0.0.1:%s", port);
    check(natsOptions_Create(&options), "options");
    check(natsOptions_SetURL(options, url), "url");
    check(natsConnection_Connect(&connection, options), "connect");
    return connection;
}

static void on_message(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *closure)
{
    int64_t sent, now = now_ns();
    memcpy(&sent, natsMsg_GetData(msg), sizeof sent);
    long index = heard;
    if (index == 0) first = now;
    last = now;
    if (index < count) latency[index] = now - sent;
    natsMsg_Destroy(msg);
    heard = index + 1;
}

static void publish(const char *port, int paced)
{
    char body[SIZE] = {0};
    natsConnection *nc = connect_to(port);
    int64_t due = now_ns();
    for (long i = 0; i < count; i++) {
        if (paced) pace_until(due += 1000000);
        int64_t now = now_ns();
        memcpy(body, &now, sizeof now);
        check(natsConnection_Publish(nc, "bench", body, sizeof body), "publish");
        if (paced) check(natsConnection_Flush(nc), "flush");
    }
    check(natsConnection_Flush(nc), "flush");
    natsConnection_Close(nc);
}

static void durable(const char *port)
{
    char body[SIZE] = {0};
    natsConnection *nc = connect_to(port);
    jsCtx *js;
    jsStreamConfig config;
    jsErrCode code;
    const char *subjects[] = {"bench.durable"};
    check(natsConnection_JetStream(&js, nc, NULL), "jetstream");
    jsStreamConfig_Init(&config);
    config.Name = "BENCH";
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.Storage = js_FileStorage;
    check(js_AddStream(NULL, js, &config, NULL, &code), "stream");
    first = now_ns();
    for (long i = 0; i < count; i++) {
        int64_t before = now_ns();
        check(js_Publish(NULL, js, "bench.durable", body, sizeof body, NULL, &code), "publish");
        last = now_ns();
        latency[i] = last - before;
    }
    report(latency, count, first, last);
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    count = atol(argv[2]);
    latency = calloc(count, sizeof *latency);
    if (strcmp(argv[3], "durable") == 0) {
        durable(argv[1]);
        return 0;
    }
    int go[2];
    if (pipe(go) != 0) return 1;
    pid_t publisher = fork();
    if (publisher == 0) {
        char byte;
        if (read(go[0], &byte, 1) == 1) publish(argv[1], strcmp(argv[3], "paced") == 0);
        _exit(0);
    }
    natsConnection *nc = connect_to(argv[1]);
    natsSubscription *sub;
    check(natsConnection_Subscribe(&sub, nc, "bench", on_message, NULL), "subscribe");
    check(natsSubscription_SetPendingLimits(sub, -1, -1), "limits");
    check(natsConnection_Flush(nc), "flush");
    if (write(go[1], "x", 1) != 1) return 1;
    waitpid(publisher, NULL, 0);
    for (int i = 0; i < 3000 && heard < count; i++) usleep(10000);
    if (heard < count) {
        fprintf(stderr, "only %ld of %ld arrived\n", (long)heard, count);
        return 1;
    }
    report(latency, count, first, last);
    return 0;
}
