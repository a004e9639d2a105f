#include "io/scene/form.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "io/text/number_text.hpp"

namespace scree::keys {

namespace {

std::string joined(const std::vector<std::string>& texts, const std::string& last_separator) {
  std::string all;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (k > 0) all += k + 1 == texts.size() ? last_separator : ", ";
    all += texts[k];
  }
  return all;
}

std::string code(std::string_view text) {
  return fmt::format("`{}`", text);
}

std::string limits(const Numbers& numbers) {
  const bool has_least = numbers.least > -kLargestNumber;
  const bool has_greatest = numbers.greatest < kLargestNumber;
  const std::string least = number_text(numbers.least);
  const std::string greatest = number_text(numbers.greatest);
  if (has_least && has_greatest) {
    return fmt::format(" in {}{}, {}]", numbers.without_least ? '(' : '[', least, greatest);
  }
  if (has_least) return fmt::format(" {} {}", numbers.without_least ? ">" : "≥", least);
  return has_greatest ? fmt::format(" ≤ {}", greatest) : "";
}

/// To where the keys of a mapping stand.
std::string link(std::string_view text, const Form& form) {
  if (form.type != Form::Type::mapping) return markdown(form);
  const std::string& heading = form.section->heading;
  return heading.empty() ? std::string(text) : fmt::format("[{}](#{})", text, heading);
}

std::string or_word(std::string_view alternative) {
  return alternative.empty() ? "" : code(alternative) + " or ";
}

}  // namespace

Form number_form(const Numbers& numbers) {
  return {.type = Form::Type::number, .numbers = numbers};
}

Form whole_number_form(const WholeNumbers& numbers) {
  return {.type = Form::Type::whole_number, .whole_numbers = numbers};
}

Form word_form(YamlValue::Words words) {
  return {.type = Form::Type::word, .words = std::move(words)};
}

Form list_form(Form item, std::size_t least, std::size_t most) {
  return {.type = Form::Type::list, .parts = {std::move(item)}, .least = least, .most = most};
}

Form mapping_form(const SectionInfo& section) {
  return {.type = Form::Type::mapping, .section = &section};
}

Form either_form(std::vector<Form> forms) {
  return {.type = Form::Type::either, .parts = std::move(forms)};
}

Form in_words(Form form, std::string markdown) {
  form.markdown = std::move(markdown);
  return form;
}

std::string description_of(const KeyInfo& key) {
  const std::string_view unit = key.form.numbers.unit;
  return fmt::format("{}{}{}", key.modes.prefix(), key.says, unit.empty() ? "" : fmt::format(" [{}]", unit));
}

std::string markdown(const Form& form) {
  if (!form.markdown.empty()) return form.markdown;
  switch (form.type) {
    case Form::Type::number: {
      const Numbers& numbers = form.numbers;
      const std::string unit = numbers.unit.empty() ? "" : fmt::format(" [{}]", numbers.unit);
      return or_word(numbers.alternative) + "number" + limits(numbers) + unit;
    }
    case Form::Type::whole_number:
      return or_word(form.whole_numbers.alternative) +
             fmt::format("whole number from {} to {}", form.whole_numbers.least, form.whole_numbers.greatest);
    case Form::Type::text:
      return "text";
    case Form::Type::word: {
      std::vector<std::string> words;
      std::ranges::transform(form.words, std::back_inserter(words), code);
      return joined(words, " or ");
    }
    case Form::Type::list:
      if (form.least == 2 && form.most == 2) return "`[least, greatest]` of two";
      return "list of " + link("mappings", form.parts.front());
    case Form::Type::mapping:
      return link("mapping", form);
    case Form::Type::named:
      return "mapping from names to " + link("mappings", form.parts.front());
    case Form::Type::either: {
      std::vector<std::string> parts;
      std::ranges::transform(form.parts, std::back_inserter(parts), markdown);
      return joined(parts, " or ");
    }
  }
  return {};
}

}  // namespace scree::keys
