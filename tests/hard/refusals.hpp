#pragma once

#include <functional>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/hard/scene/scene_setup.hpp"
#include "dem/scene.hpp"

namespace scree::test {

/// The event-driven mode refuses a scene by this key, once it is spoilt.
inline void check_refused(Scene scene, const char* key, const std::function<void(Scene&)>& spoil) {
  CAPTURE(key);
  spoil(scene);
  try {
    (void)hard::setup_from(scene);
    FAIL("accepted");
  } catch (const InvalidScene& error) {
    CHECK(error.key == key);
  }
}

}  // namespace scree::test
