import Foundation
import Testing

/// The 318 documents of nst/JSONTestSuite, with the verdicts of the suite, of Foundation and of ErrandJSON.
struct ParsingCase: Sendable, CustomTestStringConvertible {
  enum Answer: String, Sendable {
    case accepts = "a"
    case rejects = "r"
    case notAsked = "-"
    case either
  }

  let name: String
  /// The verdict for a type that reads everything: numbers as `Int` or `Double`, all members, and all texts.
  let foundation: Answer
  let ours: Answer
  let document: Data

  /// The verdict of the suite, which is the first letter of the name.
  var suite: Answer { name.hasPrefix("y") ? .accepts : name.hasPrefix("n") ? .rejects : .either }

  var testDescription: String { name }

  static let all: [ParsingCase] = table.split(separator: "\n").map { line in
    let parts = line.split(separator: "|", maxSplits: 3).map(String.init)
    guard let foundation = Answer(rawValue: parts[1]), let ours = Answer(rawValue: parts[2]) else {
      fatalError("No answer: \(line)")
    }
    return ParsingCase(
      name: parts[0], foundation: foundation, ours: ours, document: document(parts[0], parts[3]))
  }

  /// The bytes of a document.
  ///
  /// A text is literal, or base64 after `=`; documents too long for the table are generated.
  private static func document(_ name: String, _ text: String) -> Data {
    switch name {
    case "i_structure_500_nested_arrays":
      Data(repeating: 0x5B, count: 500) + Data(repeating: 0x5D, count: 500)
    case "n_structure_100000_opening_arrays": Data(repeating: 0x5B, count: 100_000)
    case "n_structure_open_array_object":
      Data((String(repeating: #"[{"":"#, count: 50_000) + "\n").utf8)
    default:
      text.hasPrefix("=")
        ? Data(base64Encoded: String(text.dropFirst())) ?? Data() : Data(text.utf8)
    }
  }

  /// The reasons for verdicts of ErrandJSON that contradict the suite.
  static let reasonsAgainstTheSuite = [
    "n_array_extra_comma": "a comma behind the last element is read over, as Foundation does",
    "n_array_number_and_comma": "a comma behind the last element is read over, as Foundation does",
    "n_object_trailing_comma": "a comma behind the last member is read over, as Foundation does",
  ]

  /// The reasons for verdicts of ErrandJSON that contradict Foundation.
  static let reasonsAgainstFoundation: [String: String] = [:]

  /// A line for each document: name, verdict of Foundation, verdict of ErrandJSON, and text.
  ///
  /// Foundation is not tested with more than 512 levels, because some such documents end the process.
  private static let table = #"""
    i_number_double_huge_neg_exp|a|a|[123.456e-789]
    i_number_huge_exp|r|r|[0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999969999999006]
    i_number_neg_int_huge_exp|r|r|[-1e+9999]
    i_number_pos_double_huge_exp|r|r|[1.5e+9999]
    i_number_real_neg_overflow|r|r|[-123123e100000]
    i_number_real_pos_overflow|r|r|[123123e100000]
    i_number_real_underflow|a|a|[123e-10000000]
    i_number_too_big_neg_int|a|a|[-123123123123123123123123123123]
    i_number_too_big_pos_int|a|a|[100000000000000000000]
    i_number_very_big_negative_int|a|a|[-237462374673276894279832749832423479823246327846]
    i_object_key_lone_2nd_surrogate|r|r|{"\uDFAA":0}
    i_string_1st_surrogate_but_2nd_missing|r|r|["\uDADA"]
    i_string_1st_valid_surrogate_2nd_invalid|r|r|["\uD888\u1234"]
    i_string_UTF-16LE_with_BOM|a|a|=//5bACIA6QAiAF0A
    i_string_UTF-8_invalid_sequence|r|r|=WyLml6XRiPoiXQ==
    i_string_UTF8_surrogate_U+D800|r|r|=WyLtoIAiXQ==
    i_string_incomplete_surrogate_and_escape_valid|r|r|["\uD800\n"]
    i_string_incomplete_surrogate_pair|r|r|["\uDd1ea"]
    i_string_incomplete_surrogates_escape_valid|r|r|["\uD800\uD800\n"]
    i_string_invalid_lonely_surrogate|r|r|["\ud800"]
    i_string_invalid_surrogate|r|r|["\ud800abc"]
    i_string_invalid_utf-8|r|r|=WyL/Il0=
    i_string_inverted_surrogates_U+1D11E|r|r|["\uDd1e\uD834"]
    i_string_iso_latin_1|r|r|=WyLpIl0=
    i_string_lone_second_surrogate|r|r|["\uDFAA"]
    i_string_lone_utf8_continuation_byte|r|r|=WyKBIl0=
    i_string_not_in_unicode_range|r|r|=WyL0v7+/Il0=
    i_string_overlong_sequence_2_bytes|r|r|=WyLAryJd
    i_string_overlong_sequence_6_bytes|r|r|=WyL8g7+/v78iXQ==
    i_string_overlong_sequence_6_bytes_null|r|r|=WyL8gICAgIAiXQ==
    i_string_truncated-utf-8|r|r|=WyLg/yJd
    i_string_utf16BE_no_BOM|a|a|=AFsAIgDpACIAXQ==
    i_string_utf16LE_no_BOM|a|a|=WwAiAOkAIgBdAA==
    i_structure_500_nested_arrays|a|a|*
    i_structure_UTF-8_BOM_empty_object|a|a|=77u/e30=
    n_array_1_true_without_comma|r|r|[1 true]
    n_array_a_invalid_utf8|r|r|=W2HlXQ==
    n_array_colon_instead_of_comma|r|r|["": 1]
    n_array_comma_after_close|r|r|[""],
    n_array_comma_and_number|r|r|[,1]
    n_array_double_comma|r|r|[1,,2]
    n_array_double_extra_comma|r|r|["x",,]
    n_array_extra_close|r|r|["x"]]
    n_array_extra_comma|a|a|["",]
    n_array_incomplete|r|r|["x"
    n_array_incomplete_invalid_value|r|r|[x
    n_array_inner_array_no_comma|r|r|[3[4]]
    n_array_invalid_utf8|r|r|=W/9d
    n_array_items_separated_by_semicolon|r|r|[1:2]
    n_array_just_comma|r|r|[,]
    n_array_just_minus|r|r|[-]
    n_array_missing_value|r|r|[   , ""]
    n_array_newlines_unclosed|r|r|=WyJhIiwKNAosMSw=
    n_array_number_and_comma|a|a|[1,]
    n_array_number_and_several_commas|r|r|[1,,]
    n_array_spaces_vertical_tab_formfeed|r|r|=WyILYSJcZl0=
    n_array_star_inside|r|r|[*]
    n_array_unclosed|r|r|[""
    n_array_unclosed_trailing_comma|r|r|[1,
    n_array_unclosed_with_new_lines|r|r|=WzEsCjEKLDE=
    n_array_unclosed_with_object_inside|r|r|[{}
    n_incomplete_false|r|r|[fals]
    n_incomplete_null|r|r|[nul]
    n_incomplete_true|r|r|[tru]
    n_multidigit_number_then_00|r|r|=MTIzAA==
    n_number_++|r|r|[++1234]
    n_number_+1|r|r|[+1]
    n_number_+Inf|r|r|[+Inf]
    n_number_-01|r|r|[-01]
    n_number_-1.0.|r|r|[-1.0.]
    n_number_-2.|r|r|[-2.]
    n_number_-NaN|r|r|[-NaN]
    n_number_.-1|r|r|[.-1]
    n_number_.2e-3|r|r|[.2e-3]
    n_number_0.1.2|r|r|[0.1.2]
    n_number_0.3e+|r|r|[0.3e+]
    n_number_0.3e|r|r|[0.3e]
    n_number_0.e1|r|r|[0.e1]
    n_number_0_capital_E+|r|r|[0E+]
    n_number_0_capital_E|r|r|[0E]
    n_number_0e+|r|r|[0e+]
    n_number_0e|r|r|[0e]
    n_number_1.0e+|r|r|[1.0e+]
    n_number_1.0e-|r|r|[1.0e-]
    n_number_1.0e|r|r|[1.0e]
    n_number_1_000|r|r|[1 000.0]
    n_number_1eE2|r|r|[1eE2]
    n_number_2.e+3|r|r|[2.e+3]
    n_number_2.e-3|r|r|[2.e-3]
    n_number_2.e3|r|r|[2.e3]
    n_number_9.e+|r|r|[9.e+]
    n_number_Inf|r|r|[Inf]
    n_number_NaN|r|r|[NaN]
    n_number_U+FF11_fullwidth_digit_one|r|r|=W++8kV0=
    n_number_expression|r|r|[1+2]
    n_number_hex_1_digit|r|r|[0x1]
    n_number_hex_2_digits|r|r|[0x42]
    n_number_infinity|r|r|[Infinity]
    n_number_invalid+-|r|r|[0e+-1]
    n_number_invalid-negative-real|r|r|[-123.123foo]
    n_number_invalid-utf-8-in-bigger-int|r|r|=WzEyM+Vd
    n_number_invalid-utf-8-in-exponent|r|r|=WzFlMeVd
    n_number_invalid-utf-8-in-int|r|r|=WzDlXQo=
    n_number_minus_infinity|r|r|[-Infinity]
    n_number_minus_sign_with_trailing_garbage|r|r|[-foo]
    n_number_minus_space_1|r|r|[- 1]
    n_number_neg_int_starting_with_zero|r|r|[-012]
    n_number_neg_real_without_int_part|r|r|[-.123]
    n_number_neg_with_garbage_at_end|r|r|[-1x]
    n_number_real_garbage_after_e|r|r|[1ea]
    n_number_real_with_invalid_utf8_after_e|r|r|=WzFl5V0=
    n_number_real_without_fractional_part|r|r|[1.]
    n_number_starting_with_dot|r|r|[.123]
    n_number_with_alpha|r|r|[1.2a-3]
    n_number_with_alpha_char|r|r|[1.8011670033376514H-308]
    n_number_with_leading_zero|r|r|[012]
    n_object_bad_value|r|r|["x", truth]
    n_object_bracket_key|r|r|=e1s6ICJ4In0K
    n_object_comma_instead_of_colon|r|r|{"x", null}
    n_object_double_colon|r|r|{"x"::"b"}
    n_object_emoji|r|r|=e/Cfh6jwn4etfQ==
    n_object_garbage_at_end|r|r|{"a":"a" 123}
    n_object_key_with_single_quotes|r|r|{key: 'value'}
    n_object_lone_continuation_byte_in_key_and_trailing_comma|r|r|=eyK5IjoiMCIsfQ==
    n_object_missing_colon|r|r|{"a" b}
    n_object_missing_key|r|r|{:"b"}
    n_object_missing_semicolon|r|r|{"a" "b"}
    n_object_missing_value|r|r|{"a":
    n_object_no-colon|r|r|{"a"
    n_object_non_string_key|r|r|{1:1}
    n_object_non_string_key_but_huge_number_instead|r|r|{9999E9999:1}
    n_object_repeated_null_null|r|r|{null:null,null:null}
    n_object_several_trailing_commas|r|r|{"id":0,,,,,}
    n_object_single_quote|r|r|{'a':0}
    n_object_trailing_comma|a|a|{"id":0,}
    n_object_trailing_comment|r|r|{"a":"b"}/**/
    n_object_trailing_comment_open|r|r|{"a":"b"}/**//
    n_object_trailing_comment_slash_open|r|r|{"a":"b"}//
    n_object_trailing_comment_slash_open_incomplete|r|r|{"a":"b"}/
    n_object_two_commas_in_a_row|r|r|{"a":"b",,"c":"d"}
    n_object_unquoted_key|r|r|{a: "b"}
    n_object_unterminated-value|r|r|{"a":"a
    n_object_with_single_string|r|r|{ "foo" : "bar", "a" }
    n_object_with_trailing_garbage|r|r|{"a":"b"}#
    n_single_space|r|r|=IA==
    n_string_1_surrogate_then_escape|r|r|["\uD800\"]
    n_string_1_surrogate_then_escape_u|r|r|["\uD800\u"]
    n_string_1_surrogate_then_escape_u1|r|r|["\uD800\u1"]
    n_string_1_surrogate_then_escape_u1x|r|r|["\uD800\u1x"]
    n_string_accentuated_char_no_quotes|r|r|=W8OpXQ==
    n_string_backslash_00|r|r|=WyJcACJd
    n_string_escape_x|r|r|["\x00"]
    n_string_escaped_backslash_bad|r|r|["\\\"]
    n_string_escaped_ctrl_char_tab|r|r|=WyJcCSJd
    n_string_escaped_emoji|r|r|=WyJc8J+MgCJd
    n_string_incomplete_escape|r|r|["\"]
    n_string_incomplete_escaped_character|r|r|["\u00A"]
    n_string_incomplete_surrogate|r|r|["\uD834\uDd"]
    n_string_incomplete_surrogate_escape_invalid|r|r|["\uD800\uD800\x"]
    n_string_invalid-utf-8-in-escape|r|r|=WyJcdeUiXQ==
    n_string_invalid_backslash_esc|r|r|["\a"]
    n_string_invalid_unicode_escape|r|r|["\uqqqq"]
    n_string_invalid_utf8_after_escape|r|r|=WyJc5SJd
    n_string_leading_uescaped_thinspace|r|r|[\u0020"asd"]
    n_string_no_quotes_with_bad_escape|r|r|[\n]
    n_string_single_doublequote|r|r|"
    n_string_single_quote|r|r|['single quote']
    n_string_single_string_no_double_quotes|r|r|abc
    n_string_start_escape_unclosed|r|r|["\
    n_string_unescaped_ctrl_char|r|r|=WyJhAGEiXQ==
    n_string_unescaped_newline|r|r|=WyJuZXcKbGluZSJd
    n_string_unescaped_tab|r|r|=WyIJIl0=
    n_string_unicode_CapitalU|r|r|"\UA66D"
    n_string_with_trailing_garbage|r|r|""x
    n_structure_100000_opening_arrays|-|r|*
    n_structure_U+2060_word_joined|r|r|=W+KBoF0=
    n_structure_UTF8_BOM_no_data|r|r|=77u/
    n_structure_angle_bracket_.|r|r|<.>
    n_structure_angle_bracket_null|r|r|[<null>]
    n_structure_array_trailing_garbage|r|r|[1]x
    n_structure_array_with_extra_array_close|r|r|[1]]
    n_structure_array_with_unclosed_string|r|r|["asd]
    n_structure_ascii-unicode-identifier|r|r|=YcOl
    n_structure_capitalized_True|r|r|[True]
    n_structure_close_unopened_array|r|r|1]
    n_structure_comma_instead_of_closing_brace|r|r|{"x": true,
    n_structure_double_array|r|r|[][]
    n_structure_end_array|r|r|]
    n_structure_incomplete_UTF8_BOM|r|r|=77t7fQ==
    n_structure_lone-invalid-utf-8|r|r|=5Q==
    n_structure_lone-open-bracket|r|r|[
    n_structure_no_data|r|r|=
    n_structure_null-byte-outside-string|r|r|=WwBd
    n_structure_number_with_trailing_garbage|r|r|2@
    n_structure_object_followed_by_closing_object|r|r|{}}
    n_structure_object_unclosed_no_value|r|r|{"":
    n_structure_object_with_comment|r|r|{"a":/*comment*/"b"}
    n_structure_object_with_trailing_garbage|r|r|{"a": true} "x"
    n_structure_open_array_apostrophe|r|r|['
    n_structure_open_array_comma|r|r|[,
    n_structure_open_array_object|-|r|*
    n_structure_open_array_open_object|r|r|[{
    n_structure_open_array_open_string|r|r|["a
    n_structure_open_array_string|r|r|["a"
    n_structure_open_object|r|r|{
    n_structure_open_object_close_array|r|r|{]
    n_structure_open_object_comma|r|r|{,
    n_structure_open_object_open_array|r|r|{[
    n_structure_open_object_open_string|r|r|{"a
    n_structure_open_object_string_with_apostrophes|r|r|{'a'
    n_structure_open_open|r|r|["\{["\{["\{["\{
    n_structure_single_eacute|r|r|=6Q==
    n_structure_single_star|r|r|=Kg==
    n_structure_trailing_#|r|r|{"a":"b"}#{}
    n_structure_uescaped_LF_before_string|r|r|[\u000A""]
    n_structure_unclosed_array|r|r|[1
    n_structure_unclosed_array_partial_null|r|r|[ false, nul
    n_structure_unclosed_array_unfinished_false|r|r|[ true, fals
    n_structure_unclosed_array_unfinished_true|r|r|[ false, tru
    n_structure_unclosed_object|r|r|{"asd":"asd"
    n_structure_unicode-identifier|r|r|=w6U=
    n_structure_whitespace_U+2060_word_joiner|r|r|=W+KBoF0=
    n_structure_whitespace_formfeed|r|r|=Wwxd
    y_array_arraysWithSpaces|a|a|[[]   ]
    y_array_empty-string|a|a|[""]
    y_array_empty|a|a|[]
    y_array_ending_with_newline|a|a|["a"]
    y_array_false|a|a|[false]
    y_array_heterogeneous|a|a|[null, 1, "1", {}]
    y_array_null|a|a|[null]
    y_array_with_1_and_newline|a|a|=WzEKXQ==
    y_array_with_leading_space|a|a|=IFsxXQ==
    y_array_with_several_null|a|a|[1,null,null,null,2]
    y_array_with_trailing_space|a|a|=WzJdIA==
    y_number|a|a|[123e65]
    y_number_0e+1|a|a|[0e+1]
    y_number_0e1|a|a|[0e1]
    y_number_after_space|a|a|[ 4]
    y_number_double_close_to_zero|a|a|=Wy0wLjAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMV0K
    y_number_int_with_exp|a|a|[20e1]
    y_number_minus_zero|a|a|[-0]
    y_number_negative_int|a|a|[-123]
    y_number_negative_one|a|a|[-1]
    y_number_negative_zero|a|a|[-0]
    y_number_real_capital_e|a|a|[1E22]
    y_number_real_capital_e_neg_exp|a|a|[1E-2]
    y_number_real_capital_e_pos_exp|a|a|[1E+2]
    y_number_real_exponent|a|a|[123e45]
    y_number_real_fraction_exponent|a|a|[123.456e78]
    y_number_real_neg_exp|a|a|[1e-2]
    y_number_real_pos_exponent|a|a|[1e+2]
    y_number_simple_int|a|a|[123]
    y_number_simple_real|a|a|[123.456789]
    y_object|a|a|{"asd":"sdf", "dfg":"fgh"}
    y_object_basic|a|a|{"asd":"sdf"}
    y_object_duplicated_key|a|a|{"a":"b","a":"c"}
    y_object_duplicated_key_and_value|a|a|{"a":"b","a":"b"}
    y_object_empty|a|a|{}
    y_object_empty_key|a|a|{"":0}
    y_object_escaped_null_in_key|a|a|{"foo\u0000bar": 42}
    y_object_extreme_numbers|a|a|{ "min": -1.0e+28, "max": 1.0e+28 }
    y_object_long_strings|a|a|{"x":[{"id": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}], "id": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}
    y_object_simple|a|a|{"a":[]}
    y_object_string_unicode|a|a|{"title":"\u041f\u043e\u043b\u0442\u043e\u0440\u0430 \u0417\u0435\u043c\u043b\u0435\u043a\u043e\u043f\u0430" }
    y_object_with_newlines|a|a|=ewoiYSI6ICJiIgp9
    y_string_1_2_3_bytes_UTF-8_sequences|a|a|["\u0060\u012a\u12AB"]
    y_string_accepted_surrogate_pair|a|a|["\uD801\udc37"]
    y_string_accepted_surrogate_pairs|a|a|["\ud83d\ude39\ud83d\udc8d"]
    y_string_allowed_escapes|a|a|["\"\\\/\b\f\n\r\t"]
    y_string_backslash_and_u_escaped_zero|a|a|["\\u0000"]
    y_string_backslash_doublequotes|a|a|["\""]
    y_string_comments|a|a|["a/*b*/c/*d//e"]
    y_string_double_escape_a|a|a|["\\a"]
    y_string_double_escape_n|a|a|["\\n"]
    y_string_escaped_control_character|a|a|["\u0012"]
    y_string_escaped_noncharacter|a|a|["\uFFFF"]
    y_string_in_array|a|a|["asd"]
    y_string_in_array_with_leading_space|a|a|[ "asd"]
    y_string_last_surrogates_1_and_2|a|a|["\uDBFF\uDFFF"]
    y_string_nbsp_uescaped|a|a|["new\u00A0line"]
    y_string_nonCharacterInUTF-8_U+10FFFF|a|a|=WyL0j7+/Il0=
    y_string_nonCharacterInUTF-8_U+FFFF|a|a|=WyLvv78iXQ==
    y_string_null_escape|a|a|["\u0000"]
    y_string_one-byte-utf-8|a|a|["\u002c"]
    y_string_pi|a|a|=WyLPgCJd
    y_string_reservedCharacterInUTF-8_U+1BFFF|a|a|=WyLwm7+/Il0=
    y_string_simple_ascii|a|a|["asd "]
    y_string_space|a|a|" "
    y_string_surrogates_U+1D11E_MUSICAL_SYMBOL_G_CLEF|a|a|["\uD834\uDd1e"]
    y_string_three-byte-utf-8|a|a|["\u0821"]
    y_string_two-byte-utf-8|a|a|["\u0123"]
    y_string_u+2028_line_sep|a|a|=WyLigKgiXQ==
    y_string_u+2029_par_sep|a|a|=WyLigKkiXQ==
    y_string_uEscape|a|a|["\u0061\u30af\u30EA\u30b9"]
    y_string_uescaped_newline|a|a|["new\u000Aline"]
    y_string_unescaped_char_delete|a|a|=WyJ/Il0=
    y_string_unicode|a|a|["\uA66D"]
    y_string_unicodeEscapedBackslash|a|a|["\u005C"]
    y_string_unicode_2|a|a|=WyLijYLjiLTijYIiXQ==
    y_string_unicode_U+10FFFE_nonchar|a|a|["\uDBFF\uDFFE"]
    y_string_unicode_U+1FFFE_nonchar|a|a|["\uD83F\uDFFE"]
    y_string_unicode_U+200B_ZERO_WIDTH_SPACE|a|a|["\u200B"]
    y_string_unicode_U+2064_invisible_plus|a|a|["\u2064"]
    y_string_unicode_U+FDD0_nonchar|a|a|["\uFDD0"]
    y_string_unicode_U+FFFE_nonchar|a|a|["\uFFFE"]
    y_string_unicode_escaped_double_quote|a|a|["\u0022"]
    y_string_utf8|a|a|=WyLigqzwnYSeIl0=
    y_string_with_del_character|a|a|=WyJhf2EiXQ==
    y_structure_lonely_false|a|a|false
    y_structure_lonely_int|a|a|42
    y_structure_lonely_negative_real|a|a|-0.1
    y_structure_lonely_null|a|a|null
    y_structure_lonely_string|a|a|"asd"
    y_structure_lonely_true|a|a|true
    y_structure_string_empty|a|a|""
    y_structure_trailing_newline|a|a|=WyJhIl0K
    y_structure_true_in_array|a|a|[true]
    y_structure_whitespace_array|a|a|=IFtdIA==
    """#
}
