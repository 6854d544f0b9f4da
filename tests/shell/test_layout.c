/* Rows of the panel, at sizes from one cell on. */
#include <criterion/criterion.h>

#include "shell/panel/layout.h"

TestSuite(layout);

Test(layout, gives_rows_to_each)
{
    static const struct {
        int rows, columns, wanted;
        struct sh_layout layout;
    } cases[] = {
        /* view, title, pane and its rows, keys, input and its rows */
        {24, 80, 1, {15, 15, 16, 6, 22, 23, 1}},
        {24, 80, 3, {15, 15, 16, 4, 20, 21, 3}},
        {24, 80, 8, {13, 13, 14, 1, 15, 16, 8}},
        {40, 120, 1, {26, 26, 27, 11, 38, 39, 1}},
        {60, 200, 1, {40, 40, 41, 17, 58, 59, 1}},
        {10, 24, 1, {4, 4, 5, 3, 8, 9, 1}},
        /* too small for views */
        {9, 80, 1, {0, 0, 1, 7, -1, 8, 1}},
        {24, 23, 1, {0, 0, 1, 22, -1, 23, 1}},
        {3, 10, 1, {0, -1, 0, 2, -1, 2, 1}},
        {2, 10, 5, {0, -1, 0, 1, -1, 1, 1}},
        {1, 1, 9, {0, -1, 0, 0, -1, 0, 1}},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sh_layout layout = sh_layout(cases[i].rows, cases[i].columns, cases[i].wanted);
        const struct sh_layout *right = &cases[i].layout;

        cr_expect_eq(layout.view_rows, right->view_rows, "row %zu: %d", i, layout.view_rows);
        cr_expect_eq(layout.title_row, right->title_row, "row %zu: %d", i, layout.title_row);
        cr_expect_eq(layout.pane_row, right->pane_row, "row %zu: %d", i, layout.pane_row);
        cr_expect_eq(layout.pane_rows, right->pane_rows, "row %zu: %d", i, layout.pane_rows);
        cr_expect_eq(layout.keys_row, right->keys_row, "row %zu: %d", i, layout.keys_row);
        cr_expect_eq(layout.input_row, right->input_row, "row %zu: %d", i, layout.input_row);
        cr_expect_eq(layout.input_rows, right->input_rows, "row %zu: %d", i, layout.input_rows);
    }
}

/* Whatever the size: all rows are given, once, and the line being typed has one. */
Test(layout, leaves_no_row_out)
{
    for (int rows = 1; rows <= 300; rows++)
        for (int wanted = 1; wanted <= 120; wanted += 7)
            for (int columns = 1; columns <= 81; columns += 40) {
                struct sh_layout layout = sh_layout(rows, columns, wanted);
                int given = layout.view_rows + (layout.title_row >= 0) + layout.pane_rows +
                            (layout.keys_row >= 0) + layout.input_rows;

                cr_assert_eq(given, rows, "%d of %d rows, %d wanted", given, rows, wanted);
                cr_assert_eq(layout.input_row + layout.input_rows, rows);
                cr_assert_geq(layout.input_rows, 1);
                cr_assert_geq(layout.pane_rows, 0);
                cr_assert_leq(layout.input_rows, rows / 3 > 1 ? rows / 3 : 1);
            }
}
