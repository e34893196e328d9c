// The files of the operators' page, embedded by the compiler (C23 6.10.4), which notes each of them as a dependency.
#pragma clang diagnostic ignored "-Wc23-extensions"

#include "COperatorsPage.h"

static const unsigned char address_js[] = {
#embed "page/address.js"
};
static const unsigned char api_js[] = {
#embed "page/api.js"
};
static const unsigned char apps_js[] = {
#embed "page/apps.js"
};
static const unsigned char chart_js[] = {
#embed "page/chart.js"
};
static const unsigned char clock_js[] = {
#embed "page/clock.js"
};
static const unsigned char dom_js[] = {
#embed "page/dom.js"
};
static const unsigned char format_js[] = {
#embed "page/format.js"
};
static const unsigned char icon_svg[] = {
#embed "page/icon.svg"
};
static const unsigned char index_html[] = {
#embed "page/index.html"
};
static const unsigned char main_js[] = {
#embed "page/main.js"
};
static const unsigned char metrics_js[] = {
#embed "page/metrics.js"
};
static const unsigned char page_css[] = {
#embed "page/page.css"
};
static const unsigned char problems_js[] = {
#embed "page/problems.js"
};
static const unsigned char remedies_js[] = {
#embed "page/remedies.js"
};
static const unsigned char session_secret_js[] = {
#embed "page/session-secret.js"
};
static const unsigned char timeline_js[] = {
#embed "page/timeline.js"
};
static const unsigned char ui_js[] = {
#embed "page/ui.js"
};
static const unsigned char view_bots_js[] = {
#embed "page/view-bots.js"
};
static const unsigned char view_configuration_js[] = {
#embed "page/view-configuration.js"
};
static const unsigned char view_dead_js[] = {
#embed "page/view-dead.js"
};
static const unsigned char view_find_js[] = {
#embed "page/view-find.js"
};
static const unsigned char view_json_js[] = {
#embed "page/view-json.js"
};
static const unsigned char view_keys_js[] = {
#embed "page/view-keys.js"
};
static const unsigned char view_notifiers_js[] = {
#embed "page/view-notifiers.js"
};
static const unsigned char view_now_js[] = {
#embed "page/view-now.js"
};
static const unsigned char view_people_js[] = {
#embed "page/view-people.js"
};
static const unsigned char view_sessions_js[] = {
#embed "page/view-sessions.js"
};
static const unsigned char view_store_js[] = {
#embed "page/view-store.js"
};
static const unsigned char view_tickets_js[] = {
#embed "page/view-tickets.js"
};
static const unsigned char words_en_js[] = {
#embed "page/words-en.js"
};
static const unsigned char words_ru_js[] = {
#embed "page/words-ru.js"
};
static const unsigned char words_js[] = {
#embed "page/words.js"
};

static const struct shim_page_file files[] = {
    {"address.js", address_js, sizeof address_js},
    {"api.js", api_js, sizeof api_js},
    {"apps.js", apps_js, sizeof apps_js},
    {"chart.js", chart_js, sizeof chart_js},
    {"clock.js", clock_js, sizeof clock_js},
    {"dom.js", dom_js, sizeof dom_js},
    {"format.js", format_js, sizeof format_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"index.html", index_html, sizeof index_html},
    {"main.js", main_js, sizeof main_js},
    {"metrics.js", metrics_js, sizeof metrics_js},
    {"page.css", page_css, sizeof page_css},
    {"problems.js", problems_js, sizeof problems_js},
    {"remedies.js", remedies_js, sizeof remedies_js},
    {"session-secret.js", session_secret_js, sizeof session_secret_js},
    {"timeline.js", timeline_js, sizeof timeline_js},
    {"ui.js", ui_js, sizeof ui_js},
    {"view-bots.js", view_bots_js, sizeof view_bots_js},
    {"view-configuration.js", view_configuration_js, sizeof view_configuration_js},
    {"view-dead.js", view_dead_js, sizeof view_dead_js},
    {"view-find.js", view_find_js, sizeof view_find_js},
    {"view-json.js", view_json_js, sizeof view_json_js},
    {"view-keys.js", view_keys_js, sizeof view_keys_js},
    {"view-notifiers.js", view_notifiers_js, sizeof view_notifiers_js},
    {"view-now.js", view_now_js, sizeof view_now_js},
    {"view-people.js", view_people_js, sizeof view_people_js},
    {"view-sessions.js", view_sessions_js, sizeof view_sessions_js},
    {"view-store.js", view_store_js, sizeof view_store_js},
    {"view-tickets.js", view_tickets_js, sizeof view_tickets_js},
    {"words-en.js", words_en_js, sizeof words_en_js},
    {"words-ru.js", words_ru_js, sizeof words_ru_js},
    {"words.js", words_js, sizeof words_js},
};

size_t shim_page_count(void) { return sizeof files / sizeof files[0]; }

struct shim_page_file shim_page_file(size_t index) { return files[index]; }
