#pragma once

#include "dem/bodies.hpp"
#include "dem/soft/contact/contacts.hpp"

namespace scree::soft {

/// Renews Contacts::dashpot_share, of contacts whose stiffness is known (ForceParts).
///
/// Where two grains touch with several parts, each dashpot keeps the share sqrt(k_i / sum_j k_j (n_i . n_j)^2), k the
/// stiffness and n the normal of a contact: n equal ones that push along one line keep 1/sqrt(n) each. Together they
/// damp as one contact as stiff as all of them does, however the grain is cut into parts (docs/theory.md, section 16).
/// A contact that begins softly takes nothing from the others at once. The contacts of two images are no partners. On
/// several threads. Cost: O(contacts)
void share_dashpots(const Bodies& bodies, Contacts& contacts);

}  // namespace scree::soft
