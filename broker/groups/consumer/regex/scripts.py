"""The characters of the scripts that a pattern can name: those of Unicode 6.0, as in RE2/J."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# The first and the last code point of each range, in hexadecimal digits.
SCRIPTS: Mapping[str, str] = MappingProxyType(
    {
        "Arabic": (
            "600-603 606-60b 60d-61a 61e 620-63f 641-64a 656-65e 66a-66f 671-6dc 6de-6ff "
            "750-77f fb50-fbc1 fbd3-fd3d fd50-fd8f fd92-fdc7 fdf0-fdfc fe70-fe74 fe76-fefc "
            "10e60-10e7e"
        ),
        "Armenian": "531-556 559-55f 561-587 58a fb13-fb17",
        "Avestan": "10b00-10b35 10b39-10b3f",
        "Balinese": "1b00-1b4b 1b50-1b7c",
        "Bamum": "a6a0-a6f7 16800-16a38",
        "Batak": "1bc0-1bf3 1bfc-1bff",
        "Bengali": (
            "981-983 985-98c 98f-990 993-9a8 9aa-9b0 9b2 9b6-9b9 9bc-9c4 9c7-9c8 9cb-9ce 9d7 "
            "9dc-9dd 9df-9e3 9e6-9fb"
        ),
        "Bopomofo": "2ea-2eb 3105-312d 31a0-31ba",
        "Brahmi": "11000-1104d 11052-1106f",
        "Braille": "2800-28ff",
        "Buginese": "1a00-1a1b 1a1e-1a1f",
        "Buhid": "1740-1753",
        "Canadian_Aboriginal": "1400-167f 18b0-18f5",
        "Carian": "102a0-102d0",
        "Cham": "aa00-aa36 aa40-aa4d aa50-aa59 aa5c-aa5f",
        "Cherokee": "13a0-13f4",
        "Common": (
            "0-40 5b-60 7b-a9 ab-b9 bb-bf d7 f7 2b9-2df 2e5-2e9 2ec-2ff 374 37e 385 387 589 60c "
            "61b 61f 640 660-669 6dd 964-965 970 e3f fd5-fd8 10fb 16eb-16ed 1735-1736 1802-1803 "
            "1805 1cd3 1ce1 1ce9-1cec 1cee-1cf2 2000-200b 200e-2064 206a-2070 2074-207e "
            "2080-208e 20a0-20b9 2100-2125 2127-2129 212c-2131 2133-214d 214f-215f 2189 "
            "2190-23f3 2400-2426 2440-244a 2460-26ff 2701-27ca 27cc 27ce-27ff 2900-2b4c "
            "2b50-2b59 2e00-2e31 2ff0-2ffb 3000-3004 3006 3008-3020 3030-3037 303c-303f "
            "309b-309c 30a0 30fb-30fc 3190-319f 31c0-31e3 3220-325f 327f-32cf 3358-33ff "
            "4dc0-4dff a700-a721 a788-a78a a830-a839 fd3e-fd3f fdfd fe10-fe19 fe30-fe52 "
            "fe54-fe66 fe68-fe6b feff ff01-ff20 ff3b-ff40 ff5b-ff65 ff70 ff9e-ff9f ffe0-ffe6 "
            "ffe8-ffee fff9-fffd 10100-10102 10107-10133 10137-1013f 10190-1019b 101d0-101fc "
            "1d000-1d0f5 1d100-1d126 1d129-1d166 1d16a-1d17a 1d183-1d184 1d18c-1d1a9 "
            "1d1ae-1d1dd 1d300-1d356 1d360-1d371 1d400-1d454 1d456-1d49c 1d49e-1d49f 1d4a2 "
            "1d4a5-1d4a6 1d4a9-1d4ac 1d4ae-1d4b9 1d4bb 1d4bd-1d4c3 1d4c5-1d505 1d507-1d50a "
            "1d50d-1d514 1d516-1d51c 1d51e-1d539 1d53b-1d53e 1d540-1d544 1d546 1d54a-1d550 "
            "1d552-1d6a5 1d6a8-1d7cb 1d7ce-1d7ff 1f000-1f02b 1f030-1f093 1f0a0-1f0ae "
            "1f0b1-1f0be 1f0c1-1f0cf 1f0d1-1f0df 1f100-1f10a 1f110-1f12e 1f130-1f169 "
            "1f170-1f19a 1f1e6-1f1ff 1f201-1f202 1f210-1f23a 1f240-1f248 1f250-1f251 "
            "1f300-1f320 1f330-1f335 1f337-1f37c 1f380-1f393 1f3a0-1f3c4 1f3c6-1f3ca "
            "1f3e0-1f3f0 1f400-1f43e 1f440 1f442-1f4f7 1f4f9-1f4fc 1f500-1f53d 1f550-1f567 "
            "1f5fb-1f5ff 1f601-1f610 1f612-1f614 1f616 1f618 1f61a 1f61c-1f61e 1f620-1f625 "
            "1f628-1f62b 1f62d 1f630-1f633 1f635-1f640 1f645-1f64f 1f680-1f6c5 1f700-1f773 "
            "e0001 e0020-e007f"
        ),
        "Coptic": "3e2-3ef 2c80-2cf1 2cf9-2cff",
        "Cuneiform": "12000-1236e 12400-12462 12470-12473",
        "Cypriot": "10800-10805 10808 1080a-10835 10837-10838 1083c 1083f",
        "Cyrillic": "400-484 487-527 1d2b 1d78 2de0-2dff a640-a673 a67c-a697",
        "Deseret": "10400-1044f",
        "Devanagari": "900-950 953-963 966-96f 971-977 979-97f a8e0-a8fb",
        "Egyptian_Hieroglyphs": "13000-1342e",
        "Ethiopic": (
            "1200-1248 124a-124d 1250-1256 1258 125a-125d 1260-1288 128a-128d 1290-12b0 "
            "12b2-12b5 12b8-12be 12c0 12c2-12c5 12c8-12d6 12d8-1310 1312-1315 1318-135a "
            "135d-137c 1380-1399 2d80-2d96 2da0-2da6 2da8-2dae 2db0-2db6 2db8-2dbe 2dc0-2dc6 "
            "2dc8-2dce 2dd0-2dd6 2dd8-2dde ab01-ab06 ab09-ab0e ab11-ab16 ab20-ab26 ab28-ab2e"
        ),
        "Georgian": "10a0-10c5 10d0-10fa 10fc 2d00-2d25",
        "Glagolitic": "2c00-2c2e 2c30-2c5e",
        "Gothic": "10330-1034a",
        "Greek": (
            "370-373 375-377 37a-37d 384 386 388-38a 38c 38e-3a1 3a3-3e1 3f0-3ff 1d26-1d2a "
            "1d5d-1d61 1d66-1d6a 1dbf 1f00-1f15 1f18-1f1d 1f20-1f45 1f48-1f4d 1f50-1f57 1f59 "
            "1f5b 1f5d 1f5f-1f7d 1f80-1fb4 1fb6-1fc4 1fc6-1fd3 1fd6-1fdb 1fdd-1fef 1ff2-1ff4 "
            "1ff6-1ffe 2126 10140-1018a 1d200-1d245"
        ),
        "Gujarati": (
            "a81-a83 a85-a8d a8f-a91 a93-aa8 aaa-ab0 ab2-ab3 ab5-ab9 abc-ac5 ac7-ac9 acb-acd "
            "ad0 ae0-ae3 ae6-aef af1"
        ),
        "Gurmukhi": (
            "a01-a03 a05-a0a a0f-a10 a13-a28 a2a-a30 a32-a33 a35-a36 a38-a39 a3c a3e-a42 "
            "a47-a48 a4b-a4d a51 a59-a5c a5e a66-a75"
        ),
        "Han": (
            "2e80-2e99 2e9b-2ef3 2f00-2fd5 3005 3007 3021-3029 3038-303b 3400-4db5 4e00-9fcb "
            "f900-fa2d fa30-fa6d fa70-fad9 20000-2a6d6 2a700-2b734 2b740-2b81d 2f800-2fa1d"
        ),
        "Hangul": (
            "1100-11ff 302e-302f 3131-318e 3200-321e 3260-327e a960-a97c ac00-d7a3 d7b0-d7c6 "
            "d7cb-d7fb ffa0-ffbe ffc2-ffc7 ffca-ffcf ffd2-ffd7 ffda-ffdc"
        ),
        "Hanunoo": "1720-1734",
        "Hebrew": (
            "591-5c7 5d0-5ea 5f0-5f4 fb1d-fb36 fb38-fb3c fb3e fb40-fb41 fb43-fb44 fb46-fb4f"
        ),
        "Hiragana": "3041-3096 309d-309f 1b001 1f200",
        "Imperial_Aramaic": "10840-10855 10857-1085f",
        "Inherited": (
            "300-36f 485-486 64b-655 65f 670 951-952 1cd0-1cd2 1cd4-1ce0 1ce2-1ce8 1ced "
            "1dc0-1de6 1dfc-1dff 200c-200d 20d0-20f0 302a-302d 3099-309a fe00-fe0f fe20-fe26 "
            "101fd 1d167-1d169 1d17b-1d182 1d185-1d18b 1d1aa-1d1ad e0100-e01ef"
        ),
        "Inscriptional_Pahlavi": "10b60-10b72 10b78-10b7f",
        "Inscriptional_Parthian": "10b40-10b55 10b58-10b5f",
        "Javanese": "a980-a9cd a9cf-a9d9 a9de-a9df",
        "Kaithi": "11080-110c1",
        "Kannada": (
            "c82-c83 c85-c8c c8e-c90 c92-ca8 caa-cb3 cb5-cb9 cbc-cc4 cc6-cc8 cca-ccd cd5-cd6 "
            "cde ce0-ce3 ce6-cef cf1-cf2"
        ),
        "Katakana": ("30a1-30fa 30fd-30ff 31f0-31ff 32d0-32fe 3300-3357 ff66-ff6f ff71-ff9d 1b000"),
        "Kayah_Li": "a900-a92f",
        "Kharoshthi": (
            "10a00-10a03 10a05-10a06 10a0c-10a13 10a15-10a17 10a19-10a33 10a38-10a3a "
            "10a3f-10a47 10a50-10a58"
        ),
        "Khmer": "1780-17dd 17e0-17e9 17f0-17f9 19e0-19ff",
        "Lao": (
            "e81-e82 e84 e87-e88 e8a e8d e94-e97 e99-e9f ea1-ea3 ea5 ea7 eaa-eab ead-eb9 "
            "ebb-ebd ec0-ec4 ec6 ec8-ecd ed0-ed9 edc-edd"
        ),
        "Latin": (
            "41-5a 61-7a aa ba c0-d6 d8-f6 f8-2b8 2e0-2e4 1d00-1d25 1d2c-1d5c 1d62-1d65 "
            "1d6b-1d77 1d79-1dbe 1e00-1eff 2071 207f 2090-209c 212a-212b 2132 214e 2160-2188 "
            "2c60-2c7f a722-a787 a78b-a78e a790-a791 a7a0-a7a9 a7fa-a7ff fb00-fb06 ff21-ff3a "
            "ff41-ff5a"
        ),
        "Lepcha": "1c00-1c37 1c3b-1c49 1c4d-1c4f",
        "Limbu": "1900-191c 1920-192b 1930-193b 1940 1944-194f",
        "Linear_B": (
            "10000-1000b 1000d-10026 10028-1003a 1003c-1003d 1003f-1004d 10050-1005d 10080-100fa"
        ),
        "Lisu": "a4d0-a4ff",
        "Lycian": "10280-1029c",
        "Lydian": "10920-10939 1093f",
        "Malayalam": (
            "d02-d03 d05-d0c d0e-d10 d12-d3a d3d-d44 d46-d48 d4a-d4e d57 d60-d63 d66-d75 d79-d7f"
        ),
        "Mandaic": "840-85b 85e",
        "Meetei_Mayek": "abc0-abed abf0-abf9",
        "Mongolian": "1800-1801 1804 1806-180e 1810-1819 1820-1877 1880-18aa",
        "Myanmar": "1000-109f aa60-aa7b",
        "New_Tai_Lue": "1980-19ab 19b0-19c9 19d0-19da 19de-19df",
        "Nko": "7c0-7fa",
        "Ogham": "1680-169c",
        "Ol_Chiki": "1c50-1c7f",
        "Old_Italic": "10300-1031e 10320-10323",
        "Old_Persian": "103a0-103c3 103c8-103d5",
        "Old_South_Arabian": "10a60-10a7f",
        "Old_Turkic": "10c00-10c48",
        "Oriya": (
            "b01-b03 b05-b0c b0f-b10 b13-b28 b2a-b30 b32-b33 b35-b39 b3c-b44 b47-b48 b4b-b4d "
            "b56-b57 b5c-b5d b5f-b63 b66-b77"
        ),
        "Osmanya": "10480-1049d 104a0-104a9",
        "Phags_Pa": "a840-a877",
        "Phoenician": "10900-1091b 1091f",
        "Rejang": "a930-a953 a95f",
        "Runic": "16a0-16ea 16ee-16f0",
        "Samaritan": "800-82d 830-83e",
        "Saurashtra": "a880-a8c4 a8ce-a8d9",
        "Shavian": "10450-1047f",
        "Sinhala": ("d82-d83 d85-d96 d9a-db1 db3-dbb dbd dc0-dc6 dca dcf-dd4 dd6 dd8-ddf df2-df4"),
        "Sundanese": "1b80-1baa 1bae-1bb9",
        "Syloti_Nagri": "a800-a82b",
        "Syriac": "700-70d 70f-74a 74d-74f",
        "Tagalog": "1700-170c 170e-1714",
        "Tagbanwa": "1760-176c 176e-1770 1772-1773",
        "Tai_Le": "1950-196d 1970-1974",
        "Tai_Tham": "1a20-1a5e 1a60-1a7c 1a7f-1a89 1a90-1a99 1aa0-1aad",
        "Tai_Viet": "aa80-aac2 aadb-aadf",
        "Tamil": (
            "b82-b83 b85-b8a b8e-b90 b92-b95 b99-b9a b9c b9e-b9f ba3-ba4 ba8-baa bae-bb9 "
            "bbe-bc2 bc6-bc8 bca-bcd bd0 bd7 be6-bfa"
        ),
        "Telugu": (
            "c01-c03 c05-c0c c0e-c10 c12-c28 c2a-c33 c35-c39 c3d-c44 c46-c48 c4a-c4d c55-c56 "
            "c58-c59 c60-c63 c66-c6f c78-c7f"
        ),
        "Thaana": "780-7b1",
        "Thai": "e01-e3a e40-e5b",
        "Tibetan": "f00-f47 f49-f6c f71-f97 f99-fbc fbe-fcc fce-fd4 fd9-fda",
        "Tifinagh": "2d30-2d65 2d6f-2d70 2d7f",
        "Ugaritic": "10380-1039d 1039f",
        "Unknown": "d800-f8ff f0000-ffffd 100000-10fffd",
        "Vai": "a500-a62b",
        "Yi": "a000-a48c a490-a4c6",
    }
)
