// What Python calls. Cells are numbered through without the border; arguments are not checked.
#include <new>

#include "search_map.h"

using premotor::SearchMap;
using premotor::Stopping;

namespace {

int numbered(const SearchMap& map, int cell) {
    return cell < 0 ? cell : map.grid().at(cell / map.grid().cols, cell % map.grid().cols);
}

template <class Call>
int64_t guarded(const Call& call) {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        return premotor::kNoMemory;
    }
}

}  // namespace

extern "C" {

SearchMap* premotor_search_map_new(int rows, int cols, const uint8_t* free, const int32_t* factor) {
    try {
        return new SearchMap(rows, cols, free, factor);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void premotor_search_map_delete(SearchMap* map) { delete map; }

int64_t premotor_search_map_renew(SearchMap* map, const uint8_t* free, const int32_t* factor) {
    return guarded([&] { return map->renew(free, factor); });
}

struct SearchResult {
    int64_t straight, diagonal, expanded;  // steps of each kind, and cells looked around from
    double cost;                           // in cells; 0 without factors, where the steps tell it
};

// `result` is written when a way is found, its `expanded` always; `path` has room for every cell of the map.
int64_t premotor_search_map_search(SearchMap* map, int start, int goal, int64_t budget_ns, const uint8_t* cancelled,
                                   int32_t* path, SearchResult* result) {
    return guarded([&] {
        const Stopping stopping(budget_ns, cancelled);
        const int64_t length = map->search(numbered(*map, start), numbered(*map, goal), stopping, path);
        if (length > 0) *result = {map->found().straight, map->found().diagonal, 0, map->cost()};
        result->expanded = map->expanded();
        return length;
    });
}

int64_t premotor_search_map_nearest(SearchMap* map, double x, double y, double within, int from, int64_t budget_ns,
                                    const uint8_t* cancelled) {
    return map->nearest({x, y}, within, numbered(*map, from), Stopping(budget_ns, cancelled));
}

int premotor_search_map_joined(SearchMap* map, int a, int b) {
    return map->components().joined(numbered(*map, a), numbered(*map, b));
}

int premotor_search_map_clear(SearchMap* map, double ax, double ay, double bx, double by) {
    return map->lines().clear({ax, ay}, {bx, by});
}

double premotor_search_map_line_cost(SearchMap* map, double ax, double ay, double bx, double by) {
    return map->lines().cost({ax, ay}, {bx, by});
}

int64_t premotor_search_map_shorten(SearchMap* map, const double* points, int64_t count, int64_t budget_ns,
                                    const uint8_t* cancelled, int32_t* kept) {
    return guarded([&] {
        const auto* first = reinterpret_cast<const premotor::Point*>(points);
        return map->lines().shorten(first, count, Stopping(budget_ns, cancelled), kept);
    });
}

// The tables with their border: 8 numbers a cell; null where none are kept.
const int16_t* premotor_search_map_tables(SearchMap* map) { return map->tables() ? map->tables()->values().data() : nullptr; }
}
