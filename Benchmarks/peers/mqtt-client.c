/* One subscriber and one publisher on an MQTT broker: mqtt-client PORT COUNT paced|flood QOS */
#include "measure.h"
#include <mosquitto.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static long count;
static int qos;
static atomic_long heard, published;
static atomic_int ready;
static int64_t *latency, first, last;

static void on_message(struct mosquitto *m, void *closure, const struct mosquitto_message *message)
{
    int64_t sent, now = now_ns();
    memcpy(&sent, message->payload, sizeof sent);
    long index = heard;
    if (index == 0) first = now;
    last = now;
    if (index < count) latency[index] = now - sent;
    heard = index + 1;
}

static void on_subscribe(struct mosquitto *m, void *closure, int id, int n, const int *granted) { ready = 1; }
static void on_connect(struct mosquitto *m, void *closure, int code) { ready = 1; }
static void on_publish(struct mosquitto *m, void *closure, int id) { published++; }

static struct mosquitto *client(const char *port)
{
    struct mosquitto *m = mosquitto_new(NULL, true, NULL);
    mosquitto_int_option(m, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_max_inflight_messages_set(m, 1000);
    mosquitto_message_callback_set(m, on_message);
    mosquitto_subscribe_callback_set(m, on_subscribe);
    mosquitto_publish_callback_set(m, on_publish);
    mosquitto_connect_callback_set(m, on_connect);
    if (mosquitto_connect(m, "127.0.0.1", atoi(port), 60) != MOSQ_ERR_SUCCESS) exit(1);
    mosquitto_loop_start(m);
    while (!ready) usleep(1000);
    ready = 0;
    return m;
}

static void publish(const char *port, int paced)
{
    char body[SIZE] = {0};
    struct mosquitto *m = client(port);
    int64_t due = now_ns();
    for (long i = 0; i < count; i++) {
        if (paced) pace_until(due += 1000000);
        /* The client keeps what waits for the socket in memory: a window keeps it small. */
        while (i - published > 2000) usleep(100);
        int64_t now = now_ns();
        memcpy(body, &now, sizeof now);
        if (mosquitto_publish(m, NULL, "bench", sizeof body, body, qos, false) != MOSQ_ERR_SUCCESS) exit(1);
    }
    while (published < count) usleep(1000);
    mosquitto_disconnect(m);
    mosquitto_loop_stop(m, false);
}

int main(int argc, char **argv)
{
    if (argc != 5) return 2;
    count = atol(argv[2]);
    qos = atoi(argv[4]);
    latency = calloc(count, sizeof *latency);
    mosquitto_lib_init();
    int go[2];
    if (pipe(go) != 0) return 1;
    pid_t publisher = fork();
    if (publisher == 0) {
        char byte;
        if (read(go[0], &byte, 1) == 1) publish(argv[1], strcmp(argv[3], "paced") == 0);
        _exit(0);
    }
    struct mosquitto *m = client(argv[1]);
    mosquitto_subscribe(m, NULL, "bench", qos);
    while (!ready) usleep(1000);
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
