//! Colours by their names in the X Window System: how logs of MPE call them.

/// Plain names, in lower case without spaces.
#[rustfmt::skip] // a table of so many short rows is read by nobody
const NAMES: [(&str, u32); 121] = [
    ("aquamarine", 0x7f_ffd4), ("azure", 0xf0_ffff), ("beige", 0xf5_f5dc), ("bisque", 0xff_e4c4),
    ("black", 0x00_0000), ("blue", 0x00_00ff), ("blueviolet", 0x8a_2be2), ("brown", 0xa5_2a2a),
    ("burlywood", 0xde_b887), ("cadetblue", 0x5f_9ea0), ("chartreuse", 0x7f_ff00), ("chocolate", 0xd2_691e),
    ("coral", 0xff_7f50), ("cornflowerblue", 0x64_95ed), ("cyan", 0x00_ffff), ("darkblue", 0x00_008b),
    ("darkcyan", 0x00_8b8b), ("darkgoldenrod", 0xb8_860b), ("darkgray", 0xa9_a9a9), ("darkgreen", 0x00_6400),
    ("darkkhaki", 0xbd_b76b), ("darkmagenta", 0x8b_008b), ("darkolivegreen", 0x55_6b2f), ("darkorange", 0xff_8c00),
    ("darkorchid", 0x99_32cc), ("darkred", 0x8b_0000), ("darksalmon", 0xe9_967a), ("darkseagreen", 0x8f_bc8f),
    ("darkslateblue", 0x48_3d8b), ("darkslategray", 0x2f_4f4f), ("darkturquoise", 0x00_ced1),
    ("darkviolet", 0x94_00d3), ("deeppink", 0xff_1493), ("deepskyblue", 0x00_bfff), ("dimgray", 0x69_6969),
    ("dodgerblue", 0x1e_90ff), ("firebrick", 0xb2_2222), ("forestgreen", 0x22_8b22), ("gold", 0xff_d700),
    ("goldenrod", 0xda_a520), ("gray", 0xbe_bebe), ("green", 0x00_ff00), ("greenyellow", 0xad_ff2f),
    ("honeydew", 0xf0_fff0), ("hotpink", 0xff_69b4), ("indianred", 0xcd_5c5c), ("ivory", 0xff_fff0),
    ("khaki", 0xf0_e68c), ("lavender", 0xe6_e6fa), ("lawngreen", 0x7c_fc00), ("lightblue", 0xad_d8e6),
    ("lightcoral", 0xf0_8080), ("lightcyan", 0xe0_ffff), ("lightgoldenrod", 0xee_dd82), ("lightgray", 0xd3_d3d3),
    ("lightgreen", 0x90_ee90), ("lightpink", 0xff_b6c1), ("lightsalmon", 0xff_a07a), ("lightseagreen", 0x20_b2aa),
    ("lightskyblue", 0x87_cefa), ("lightslateblue", 0x84_70ff), ("lightslategray", 0x77_8899),
    ("lightsteelblue", 0xb0_c4de), ("lightyellow", 0xff_ffe0), ("limegreen", 0x32_cd32), ("magenta", 0xff_00ff),
    ("maroon", 0xb0_3060), ("mediumaquamarine", 0x66_cdaa), ("mediumblue", 0x00_00cd), ("mediumorchid", 0xba_55d3),
    ("mediumpurple", 0x93_70db), ("mediumseagreen", 0x3c_b371), ("mediumslateblue", 0x7b_68ee),
    ("mediumspringgreen", 0x00_fa9a), ("mediumturquoise", 0x48_d1cc), ("mediumvioletred", 0xc7_1585),
    ("midnightblue", 0x19_1970), ("mistyrose", 0xff_e4e1), ("moccasin", 0xff_e4b5), ("navajowhite", 0xff_dead),
    ("navy", 0x00_0080), ("navyblue", 0x00_0080), ("olivedrab", 0x6b_8e23), ("orange", 0xff_a500),
    ("orangered", 0xff_4500), ("orchid", 0xda_70d6), ("palegoldenrod", 0xee_e8aa), ("palegreen", 0x98_fb98),
    ("paleturquoise", 0xaf_eeee), ("palevioletred", 0xdb_7093), ("peachpuff", 0xff_dab9), ("peru", 0xcd_853f),
    ("pink", 0xff_c0cb), ("plum", 0xdd_a0dd), ("powderblue", 0xb0_e0e6), ("purple", 0xa0_20f0), ("red", 0xff_0000),
    ("rosybrown", 0xbc_8f8f), ("royalblue", 0x41_69e1), ("saddlebrown", 0x8b_4513), ("salmon", 0xfa_8072),
    ("sandybrown", 0xf4_a460), ("seagreen", 0x2e_8b57), ("sienna", 0xa0_522d), ("skyblue", 0x87_ceeb),
    ("slateblue", 0x6a_5acd), ("slategray", 0x70_8090), ("snow", 0xff_fafa), ("springgreen", 0x00_ff7f),
    ("steelblue", 0x46_82b4), ("tan", 0xd2_b48c), ("thistle", 0xd8_bfd8), ("tomato", 0xff_6347),
    ("turquoise", 0x40_e0d0), ("violet", 0xee_82ee), ("violetred", 0xd0_2090), ("wheat", 0xf5_deb3),
    ("white", 0xff_ffff), ("whitesmoke", 0xf5_f5f5), ("yellow", 0xff_ff00), ("yellowgreen", 0x9a_cd32),
];

/// The colour of a name. Numbers from 1 to 4 after it are ever darker shades.
pub(super) fn named(name: &str) -> Option<u32> {
    let name: String =
        name.chars().filter(|c| *c != ' ').collect::<String>().to_ascii_lowercase().replace("grey", "gray");
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let rgb = NAMES.iter().find(|(known, _)| *known == plain)?.1;
    let percent = match &name[plain.len()..] {
        "" | "1" => 100,
        "2" => 93,
        "3" => 80,
        _ => 55,
    };
    Some([16, 8, 0].iter().fold(0, |sum, shift| sum | ((rgb >> shift & 0xff) * percent / 100) << shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_colours() {
        for (name, rgb) in [
            ("red", Some(0xff_0000)),
            ("OrangeRed", Some(0xff_4500)),
            ("dark olive green", Some(0x55_6b2f)),
            ("grey", Some(0xbe_bebe)),
            ("red3", Some(0xcc_0000)),
            ("no such", None),
            ("", None),
        ] {
            assert_eq!(named(name), rgb, "{name}");
        }
    }
}
