/* SPDX-License-Identifier: Apache-2.0 */
/* The double's watches: what is told, from where, and how they end. */
#include "asking.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define PODS "/api/v1/namespaces/here/pods"
#define METADATA "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

static int setup(void **state)
{
    *state = api_server_start(NULL);
    return 0;
}

static int teardown(void **state)
{
    api_server_free(*state);
    return 0;
}

static void put(struct api_server *server, const char *ns, const char *name, const char *labels)
{
    KARTA_AUTO_TEXT text = mem_format("{'apiVersion':'v1','kind':'Pod','metadata':{"
                                      "'namespace':'%s','name':'%s','labels':{%s}}}",
                                      ns, name, labels);
    api_server_put(server, text);
}

static char *version_now(struct api_server *server)
{
    json_auto_t *list = ask_json(server, "GET", PODS, NULL, 200);
    return strdup(text_at(list, "metadata.resourceVersion"));
}

static struct following *follow_from(struct api_server *server, const char *from, const char *more)
{
    KARTA_AUTO_TEXT path = mem_format(PODS "?watch=1&resourceVersion=%s%s", from, more);
    return follow(server, path, NULL);
}

/* The next event is of this type and about this pod. */
static void expect(struct following *following, const char *type, const char *name)
{
    json_auto_t *event = follow_event(following, type);
    assert_string_equal(text_at(event, "object.metadata.name"), name);
    assert_string_equal(text_at(event, "object.kind"), "Pod");
}

static void watch__tells_what_came_after(void **state)
{
    put(*state, "here", "a", "");
    KARTA_AUTO_TEXT from = version_now(*state);
    put(*state, "here", "b", "");
    put(*state, "there", "x", "");
    struct following *following = follow_from(*state, from, "");
    expect(following, "ADDED", "b");
    put(*state, "here", "a", "'l':'1'");
    expect(following, "MODIFIED", "a");
    assert_int_equal(api_server_watches(*state, "pods"), 1);
    assert_int_equal(api_server_watches(*state, "leases"), 0);
    api_server_delete(*state, "pods", "here", "a");
    json_auto_t *event = follow_event(following, "DELETED");
    json_auto_t *labels = test_json("{'l':'1'}");
    assert_json_equal(
        json_object_get(json_object_get(json_object_get(event, "object"), "metadata"), "labels"),
        labels);
    KARTA_AUTO_TEXT now = version_now(*state);
    assert_string_equal(text_at(event, "object.metadata.resourceVersion"), now);
    follow_free(following);
}

static void watch__without_a_version_begins_with_all(void **state)
{
    put(*state, "here", "b", "");
    put(*state, "here", "a", "");
    struct following *following = follow(*state, PODS "?watch=true", NULL);
    expect(following, "ADDED", "a");
    expect(following, "ADDED", "b");
    put(*state, "here", "c", "");
    expect(following, "ADDED", "c");
    follow_free(following);
}

static void watch__initial_events_end_with_a_bookmark(void **state)
{
    put(*state, "here", "a", "");
    struct following *following = follow(*state,
                                         PODS "?watch=1&sendInitialEvents=true&"
                                              "allowWatchBookmarks=true&"
                                              "resourceVersionMatch=NotOlderThan",
                                         NULL);
    expect(following, "ADDED", "a");
    json_auto_t *event = follow_event(following, "BOOKMARK");
    json_t *meta = json_object_get(json_object_get(event, "object"), "metadata");
    json_auto_t *marks = test_json("{'k8s.io/initial-events-end':'true'}");
    assert_json_equal(json_object_get(meta, "annotations"), marks);
    follow_free(following);
}

static void watch__of_a_selector_tells_what_leaves_it(void **state)
{
    KARTA_AUTO_TEXT from = version_now(*state);
    struct following *following = follow_from(*state, from, "&labelSelector=l%20in%20(1,2)");
    put(*state, "here", "a", "");
    put(*state, "here", "a", "'l':'1'");
    expect(following, "ADDED", "a");
    put(*state, "here", "a", "'l':'2'");
    expect(following, "MODIFIED", "a");
    put(*state, "here", "a", "'l':'3'");
    expect(following, "DELETED", "a");
    put(*state, "here", "a", "'l':'2'");
    expect(following, "ADDED", "a");
    follow_free(following);
}

static void watch__bookmarks_for_those_who_want_them(void **state)
{
    KARTA_AUTO_TEXT from = version_now(*state);
    struct following *with = follow_from(*state, from, "&allowWatchBookmarks=true");
    struct following *without = follow_from(*state, from, "");
    put(*state, "here", "a", "");
    expect(with, "ADDED", "a");
    expect(without, "ADDED", "a");
    api_server_bookmark(*state);
    json_auto_t *event = follow_event(with, "BOOKMARK");
    KARTA_AUTO_TEXT now = version_now(*state);
    assert_string_equal(text_at(event, "object.metadata.resourceVersion"), now);
    assert_string_equal(text_at(event, "object.kind"), "Pod");
    assert_string_equal(text_at(event, "object.apiVersion"), "v1");
    put(*state, "here", "b", "");
    expect(without, "ADDED", "b");
    follow_free(with);
    follow_free(without);
}

static void watch__from_before_history_is_expired(void **state)
{
    KARTA_AUTO_TEXT from = version_now(*state);
    put(*state, "here", "a", "");
    put(*state, "here", "b", "");
    KARTA_AUTO_TEXT now = version_now(*state);
    struct following *earlier = follow_from(*state, from, "");
    expect(earlier, "ADDED", "a");
    api_server_compact(*state);
    expect(earlier, "ADDED", "b");
    struct following *late = follow_from(*state, from, "");
    json_auto_t *event = follow_event(late, "ERROR");
    KARTA_AUTO_TEXT message = mem_format("too old resource version: %s (%s)", from, now);
    assert_status(json_object_get(event, "object"), 410, "Expired", message);
    bool whole;
    assert_int_equal(follow_end(late, &whole), 200);
    assert_true(whole);
    struct following *latest = follow_from(*state, now, "");
    put(*state, "here", "c", "");
    expect(latest, "ADDED", "c");
    follow_free(earlier);
    follow_free(late);
    follow_free(latest);
}

static void watch__ends_when_its_time_is_over(void **state)
{
    KARTA_AUTO_TEXT from = version_now(*state);
    struct following *following = follow_from(*state, from, "&timeoutSeconds=1");
    bool whole;
    assert_int_equal(follow_end(following, &whole), 200);
    assert_true(whole);
    assert_null(follow_line(following));
    assert_int_equal(api_server_watches(*state, NULL), 0);
    follow_free(following);
}

static void end_watches__ends_them_whole(void **state)
{
    KARTA_AUTO_TEXT from = version_now(*state);
    struct following *following = follow_from(*state, from, "");
    put(*state, "here", "a", "");
    expect(following, "ADDED", "a");
    api_server_end_watches(*state);
    bool whole;
    assert_int_equal(follow_end(following, &whole), 200);
    assert_true(whole);
    follow_free(following);
}

static void watch__metadata_alone(void **state)
{
    put(*state, "here", "a", "");
    struct following *following = follow(*state, PODS "?watch=1", METADATA);
    json_auto_t *event = follow_event(following, "ADDED");
    assert_string_equal(text_at(event, "object.kind"), "PartialObjectMetadata");
    assert_string_equal(text_at(event, "object.metadata.name"), "a");
    follow_free(following);
}

static void watch__ends_with_its_kind(void **state)
{
    api_server_kind(*state, "x.io", "v1", "X", "xs", false, false);
    api_server_put(*state, "{'apiVersion':'x.io/v1','kind':'X','metadata':{'name':'a'}}");
    struct following *following = follow(*state, "/apis/x.io/v1/xs?watch=1", NULL);
    json_decref(follow_event(following, "ADDED"));
    api_server_forget_kind(*state, "x.io", "v1", "X");
    bool whole;
    assert_int_equal(follow_end(following, &whole), 200);
    assert_true(whole);
    follow_free(following);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(watch__tells_what_came_after),
        TEST(watch__without_a_version_begins_with_all),
        TEST(watch__initial_events_end_with_a_bookmark),
        TEST(watch__of_a_selector_tells_what_leaves_it),
        TEST(watch__bookmarks_for_those_who_want_them),
        TEST(watch__from_before_history_is_expired),
        TEST(watch__ends_when_its_time_is_over),
        TEST(end_watches__ends_them_whole),
        TEST(watch__metadata_alone),
        TEST(watch__ends_with_its_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
