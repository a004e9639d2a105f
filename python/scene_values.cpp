#include "python/scene_values.hpp"

#include "io/yaml/yaml_document.hpp"

namespace scree::python {

namespace py = pybind11;

namespace {

py::object scalar(const YamlDocument& document, const YamlDocument::Value& value) {
  const std::string text(document.text(value));
  if (value.is_quoted) return py::str(text);
  if (text == "true") return py::bool_(true);
  if (text == "false") return py::bool_(false);
  const bool may_be_number =
      !text.empty() && (std::isdigit(static_cast<unsigned char>(text.back())) != 0 || text.back() == '.');
  if (may_be_number) {
    for (const char* type : {"int", "float"}) {
      try {
        return py::module_::import("builtins").attr(type)(text);
      } catch (const py::error_already_set& error) {
        if (!error.matches(PyExc_ValueError)) throw;
      }
    }
  }
  return py::str(text);
}

py::object convert(const YamlDocument& document, const YamlDocument::Value& value) {
  switch (value.type) {
    case YamlDocument::Type::empty:
      return py::none();
    case YamlDocument::Type::scalar:
      return scalar(document, value);
    case YamlDocument::Type::list: {
      py::list list;
      document.for_each(value, [&](const auto& item) { list.append(convert(document, item)); });
      return list;
    }
    case YamlDocument::Type::mapping:
      break;
  }
  py::dict mapping;
  py::object key;
  document.for_each(value, [&](const auto& item) {
    if (!key) {
      key = py::str(std::string(document.text(item)));
      return;
    }
    mapping[key] = convert(document, item);
    key = py::object();
  });
  return mapping;
}

}  // namespace

py::object values_of(const std::string& yaml) {
  const YamlDocument document(yaml, "scene");
  return convert(document, document.root());
}

}  // namespace scree::python
