use crate::functions::testing::check;

#[test]
fn date_strings_may_end_after_the_year_the_month_the_day_or_the_minute() {
    check(&[
        ("DATE_ISO8601", r#"["2021"]"#, r#""2021-01-01T00:00:00.000Z""#),
        ("DATE_ISO8601", r#"["2021-3"]"#, r#""2021-03-01T00:00:00.000Z""#),
        ("DATE_ISO8601", r#"[" 2021-3-4 "]"#, r#""2021-03-04T00:00:00.000Z""#),
        ("DATE_ISO8601", r#"["2021-03-04 05:06"]"#, r#""2021-03-04T05:06:00.000Z""#),
        ("DATE_ISO8601", r#"["2021-03-04T05:06:07.5Z"]"#, r#""2021-03-04T05:06:07.500Z""#),
        ("DATE_ISO8601", r#"["2021-03-04T05:06:07.123456z"]"#, r#""2021-03-04T05:06:07.123Z""#),
        ("DATE_ISO8601", r#"["+0002021-03-04"]"#, r#""2021-03-04T00:00:00.000Z""#),
    ]);
}

#[test]
fn other_strings_are_no_dates() {
    check(&[
        ("DATE_YEAR", r#"[""]"#, "warning 1572"),
        ("DATE_YEAR", r#"["-2021"]"#, "warning 1572"),
        ("DATE_YEAR", r#"["12021"]"#, "warning 1572"),
        ("DATE_YEAR", r#"["2021-13"]"#, "warning 1572"),
        ("DATE_YEAR", r#"["2021-01-01T24:00"]"#, "warning 1572"),
        ("DATE_YEAR", r#"["2021-01-01T05"]"#, "warning 1572"),
        ("DATE_YEAR", r#"["2021-01-01T05:06+2"]"#, "warning 1572"),
        ("DATE_YEAR", r#"["0000-01-01T00:00+01:00"]"#, "warning 1572"),
        ("IS_DATESTRING", r#"["2021-01-01x"]"#, "false"),
        ("IS_DATESTRING", "[2021]", "false"),
        ("IS_DATESTRING", r#"["2021"]"#, "true"),
    ]);
}

#[test]
fn zone_offsets_are_applied() {
    check(&[
        ("DATE_TIMESTAMP", r#"["2021-03-04T05:06:07+02:00"]"#, "1614827167000"),
        ("DATE_TIMESTAMP", r#"["2021-03-04T05:06:07-02:00"]"#, "1614841567000"),
    ]);
}

#[test]
fn days_that_do_not_exist_belong_to_the_next_month() {
    check(&[
        ("DATE_ISO8601", r#"["2021-02-29"]"#, r#""2021-03-01T00:00:00.000Z""#),
        ("DATE_ISO8601", "[2021,14,1]", r#""2022-02-01T00:00:00.000Z""#),
        ("DATE_ADD", r#"["2021-01-31",1,"month"]"#, r#""2021-03-03T00:00:00.000Z""#),
        ("DATE_ADD", r#"["2020-02-29",1,"year"]"#, r#""2021-03-01T00:00:00.000Z""#),
    ]);
}

#[test]
fn timestamps_end_with_the_year_9999() {
    check(&[
        ("DATE_ISO8601", "[253402300799999]", r#""9999-12-31T23:59:59.999Z""#),
        ("DATE_ISO8601", "[253402300800000]", "warning 1572"),
        ("DATE_ISO8601", "[-62167219200000]", r#""0000-01-01T00:00:00.000Z""#),
        ("DATE_ISO8601", "[1e20]", "error 4"),
        ("DATE_ADD", r#"[253402300799999,1,"s"]"#, "warning 1572"),
        ("DATE_ADD", r#"[0,1e300,"years"]"#, "warning 1572"),
        ("DATE_SUBTRACT", r#"[0,9e18,"f"]"#, "warning 1572"),
    ]);
}

#[test]
fn a_date_is_composed_of_three_to_seven_parts() {
    check(&[
        ("DATE_TIMESTAMP", "[2021,3,4,5,6,7,89]", "1614834367089"),
        ("DATE_TIMESTAMP", r#"["2021","3","4"]"#, "1614816000000"),
        ("DATE_TIMESTAMP", "[2021,3]", "warning 1542"),
        ("DATE_TIMESTAMP", "[2016,12,-1]", "warning 1572"),
        ("DATE_TIMESTAMP", "[2021,1,1,9223372036854775807]", "warning 1572"),
        ("DATE_TIMESTAMP", "[9999,12,31,24,0,0]", "253402300800000"),
        ("DATE_ISO8601", "[9999,12,31,24,0,0]", "warning 1572"),
        ("DATE_TIMESTAMP", "[1970,1,1]", "0"),
        ("DATE_ISO8601", "[2000,2,29]", r#""2000-02-29T00:00:00.000Z""#),
        ("DATE_ISO8601", "[0,1,1]", r#""0000-01-01T00:00:00.000Z""#),
        ("DATE_ISO8601", "[2016,2,0]", r#""2016-01-31T00:00:00.000Z""#),
        ("DATE_ISO8601", "[2016,0,1]", r#""2015-12-01T00:00:00.000Z""#),
        ("DATE_ISO8601", "[2021,15,1]", r#""2022-03-03T00:00:00.000Z""#),
    ]);
}

#[test]
fn fractions_of_a_unit_become_smaller_units() {
    check(&[
        ("DATE_ADD", r#"["2021-01-01",1.5,"days"]"#, r#""2021-01-02T12:00:00.000Z""#),
        ("DATE_ADD", r#"["2021-01-01",1.5,"years"]"#, r#""2022-07-01T00:00:00.000Z""#),
        ("DATE_ADD", r#"["2021-01-01",-0.5,"m"]"#, r#""2020-12-17T00:00:00.000Z""#),
    ]);
}

#[test]
fn durations_name_their_units_in_order() {
    check(&[
        ("DATE_ADD", r#"["2000-01-01","P1Y2M3W4DT5H6M7.89S"]"#, r#""2001-03-26T05:06:07.890Z""#),
        ("DATE_SUBTRACT", r#"["2021-03-31","P1D"]"#, r#""2021-03-30T00:00:00.000Z""#),
        ("DATE_ADD", r#"["2000-01-01","P1D1Y"]"#, "warning 1572"),
        ("DATE_ADD", r#"["2000-01-01","P"]"#, "warning 1572"),
        ("DATE_ADD", r#"["2000-01-01","P1"]"#, "warning 1572"),
        ("DATE_ADD", r#"["2000-01-01","PT1.S"]"#, "warning 1572"),
        ("DATE_ADD", r#"["2000-01-01","PT1.0005S"]"#, "warning 1572"),
        ("DATE_ADD", r#"["2000-01-01","PT"]"#, r#""2000-01-01T00:00:00.000Z""#),
        ("DATE_ADD", r#"["2000-01-01","P99999999999999999999D"]"#, "warning 1572"),
        ("DATE_ADD", r#"["2021-01-01","1","day"]"#, "warning 1542"),
    ]);
}

#[test]
fn local_days_are_not_always_24_hours_long() {
    check(&[
        ("DATE_ADD", r#"["2023-03-25T23:00:00.000Z",1,"day","Europe/Berlin"]"#, r#""2023-03-26T22:00:00.000Z""#),
        ("DATE_DIFF", r#"["2023-03-25T23:00Z","2023-03-26T23:00Z","hours","Europe/Berlin"]"#, "25"),
        ("DATE_TRUNC", r#"["2023-03-25T23:30Z","day","Europe/Berlin"]"#, r#""2023-03-25T23:00:00.000Z""#),
    ]);
}

#[test]
fn a_zone_is_known_by_its_exact_name() {
    check(&[
        ("DATE_UTCTOLOCAL", r#"["2021-07-01T12:00:00Z","Europe/Berlin"]"#, r#""2021-07-01T14:00:00.000""#),
        ("DATE_UTCTOLOCAL", r#"["2021-01-01T00:00:00Z","UTC"]"#, r#""2021-01-01T00:00:00.000Z""#),
        ("DATE_UTCTOLOCAL", r#"["2021-01-01","europe/berlin"]"#, "error 4"),
        ("DATE_UTCTOLOCAL", r#"["2021-01-01",null]"#, "warning 1542"),
    ]);
}

#[test]
fn a_local_time_that_is_not_unique_is_an_error() {
    check(&[
        ("DATE_LOCALTOUTC", r#"["2021-07-01T12:00:00","America/New_York"]"#, r#""2021-07-01T16:00:00.000Z""#),
        ("DATE_LOCALTOUTC", r#"["2021-03-28T02:30:00","Europe/Berlin"]"#, "error 4"),
        ("DATE_LOCALTOUTC", r#"["2021-10-31T02:30:00","Europe/Berlin"]"#, "error 4"),
    ]);
}

#[test]
fn differences_count_mean_months_and_years() {
    check(&[
        ("DATE_DIFF", r#"["2020-01-01","2021-01-01","y",true]"#, "1.0020739645577939"),
        ("DATE_DIFF", r#"["2021-01-01","2021-01-31","w"]"#, "4"),
        ("DATE_DIFF", r#"["2021-01-31","2021-01-01","d"]"#, "-30"),
        ("DATE_DIFF", r#"["2021-01-01","2021-01-02","x"]"#, "warning 1572"),
    ]);
}

#[test]
fn comparisons_look_at_a_range_of_units() {
    check(&[
        ("DATE_COMPARE", r#"["1985-04-04","2021-04-04","months","days"]"#, "true"),
        ("DATE_COMPARE", r#"["1985-04-04","2021-04-05","months","days"]"#, "false"),
        ("DATE_COMPARE", r#"["2021-01-01T10:00Z","2021-01-01T11:00Z","years","days"]"#, "true"),
        ("DATE_COMPARE", r#"["2021","2021","x"]"#, "warning 1542"),
        ("DATE_COMPARE", r#"["2021","2021","y","yo"]"#, "warning 1542"),
        ("DATE_DIFF", r#"["2021","2021","y","Nowhere/City"]"#, "warning 1542"),
        (
            "DATE_COMPARE",
            r#"["2023-04-01T09:00Z","2024-04-01T18:00Z","hour","minute","Europe/Berlin","America/Los_Angeles"]"#,
            "true",
        ),
    ]);
}

#[test]
fn rounding_goes_down_to_multiples_since_1970() {
    check(&[
        ("DATE_ROUND", r#"["2021-03-04T05:06:07Z",15,"minutes"]"#, r#""2021-03-04T05:00:00.000Z""#),
        ("DATE_ROUND", r#"["2021-03-04",0,"day"]"#, "warning 1542"),
        ("DATE_ROUND", r#"["2021-03-04",1,"week"]"#, "warning 1542"),
        ("DATE_ROUND", r#"["2021-03-04",9223372036854775807,"day"]"#, "warning 1542"),
        ("DATE_TRUNC", r#"["2021-03-04T05:06:07.089Z","i"]"#, r#""2021-03-04T05:06:00.000Z""#),
        ("DATE_TRUNC", r#"["2021-03-04","week"]"#, "warning 1572"),
    ]);
}

#[test]
fn weeks_belong_to_the_year_of_their_thursday() {
    check(&[
        ("DATE_ISOWEEK", r#"["2021-01-03"]"#, "53"),
        ("DATE_ISOWEEKYEAR", r#"["2019-12-30"]"#, r#"{"week":1,"year":2020}"#),
        ("DATE_ISOWEEKYEAR", r#"["2023-01-01"]"#, r#"{"week":52,"year":2022}"#),
    ]);
}

#[test]
fn formats_take_the_longest_placeholder() {
    check(&[
        (
            "DATE_FORMAT",
            r#"["2021-03-04T05:06:07.089Z","%yyyy-%mm-%dd %hh:%ii:%ss.%fff"]"#,
            r#""2021-03-04 05:06:07.089""#,
        ),
        ("DATE_FORMAT", r#"["2021-03-04","%wwww %www %w %mmmm %mmm %m%&m"]"#, r#""Thursday Thu 4 March Mar 3m""#),
        ("DATE_FORMAT", r#"["2021-03-04","%xxx %q %kk %l %a %yyyyyy %yy"]"#, r#""063 1 09 0 31 +002021 21""#),
        ("DATE_FORMAT", r#"["2016","%%l = %l%"]"#, r#""%l = 1""#),
        ("DATE_FORMAT", r#"["0009-01-01","%yyyy"]"#, r#""009""#),
        ("DATE_FORMAT", r#"["0999-01-01","%yyyy"]"#, r#""999""#),
        ("DATE_FORMAT", r#"["0010-01-01","%yyyy %yy"]"#, r#""0010 10""#),
        ("DATE_FORMAT", "[0,5]", "warning 1542"),
    ]);
}
