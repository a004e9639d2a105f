#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "dem/compare/quantities.hpp"

namespace scree::compare {

namespace {

using Curves = std::vector<std::vector<double>>;

std::vector<double> values_of(const ComparedQuantity& quantity, const std::vector<Series>& runs) {
  std::vector<double> values;
  for (const Series& run : runs) values.push_back(value(quantity, run.values));
  return values;
}

std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> found;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) found.push_back(a[k] - b[k]);
  return found;
}

double relative(double difference, double to) {
  if (difference == 0.0) return 0.0;
  if (to == 0.0) return std::copysign(std::numeric_limits<double>::infinity(), difference);
  return difference / std::abs(to);
}

/// A difference of means, with the scatter of one or two samples that have the same variance.
/// @param per_run the difference's variance over that of one run
Contrast contrast(double difference, double to, std::span<const double> a, std::span<const double> b, double per_run) {
  const std::size_t means = (a.empty() ? 0U : 1U) + (b.empty() ? 0U : 1U);
  const std::size_t freedom = a.size() + b.size() - means;
  Contrast found{.difference = relative(difference, to), .error = {}, .limit = chance_limit(freedom)};
  if (freedom == 0 || to == 0.0) return found;
  const double variance = (squares_about_mean(a) + squares_about_mean(b)) / static_cast<double>(freedom);
  found.error = std::sqrt(variance * per_run) / std::abs(to);
  return found;
}

/// For numbers: soft against hard, at one point or of the whole quantity.
struct Numbers {
  Contrast contrast;
  double centre;  // mean of the hard runs that are compared with
};
Numbers numbers(const std::vector<double>& soft, const std::vector<double>& hard) {
  const double s = static_cast<double>(soft.size());
  if (soft.size() >= kPairedRuns) {
    const double centre = mean(std::span(hard).first(soft.size()));
    const std::vector<double> pairs = differences(soft, hard);
    return {contrast(mean(pairs), centre, pairs, {}, 1.0 / s), centre};
  }
  const double centre = mean(hard);
  const double per_run = 1.0 / s + 1.0 / static_cast<double>(hard.size());
  return {contrast(mean(soft) - centre, centre, soft, hard, per_run), centre};
}

std::vector<double> mean_curve(const Curves& curves, std::size_t without) {
  std::vector<double> sum(curves.empty() ? 0 : curves.front().size());
  const bool all = without >= curves.size();
  const double each = 1.0 / static_cast<double>(curves.size() - (all ? 0 : 1));
  for (std::size_t k = 0; k < curves.size(); ++k) {
    if (k == without) continue;
    for (std::size_t x = 0; x < sum.size(); ++x) sum[x] += each * curves[k][x];
  }
  return sum;
}
std::vector<double> mean_curve(const Curves& curves) {
  return mean_curve(curves, curves.size());
}

double area(const std::vector<double>& curve) {
  double sum = 0.0;
  for (const double value : curve) sum += std::abs(value);
  return sum;
}

/// The area between two mean curves, and what chance gives, from the scatter of `sample` about its mean.
/// @param per_run the variance of the difference between the mean curves over that of one curve of the sample
Contrast contrast(const std::vector<double>& difference, const std::vector<double>& to, const Curves& sample,
                  double per_run) {
  Contrast found{.difference = relative(area(difference), area(to)), .error = {}, .limit = 0.0};
  const std::size_t n = sample.size();
  found.limit = chance_limit(n > 0 ? n - 1 : 0);
  if (n < 2 || area(to) == 0.0) return found;
  std::vector<double> areas;  // each curve against the mean of the others
  for (std::size_t k = 0; k < n; ++k) areas.push_back(area(differences(sample[k], mean_curve(sample, k))) / area(to));
  const double others = static_cast<double>(n - 1);
  const double shrunk = std::sqrt(per_run / (1.0 + 1.0 / others));
  found.by_chance = shrunk * mean(areas);
  found.error = shrunk * std::sqrt(squares_about_mean(areas) / others * (1.0 + 1.0 / static_cast<double>(n)));
  return found;
}

Curves curves_of(const std::vector<Series>& runs) {
  Curves curves;
  for (const Series& run : runs) curves.push_back(run.values);
  return curves;
}

/// Each run minus its theory.
Curves from_theory(const std::vector<Series>& runs) {
  Curves curves;
  for (const Series& run : runs) curves.push_back(differences(run.values, run.theory));
  return curves;
}

Curves theory_of(const std::vector<Series>& runs) {
  Curves curves;
  for (const Series& run : runs) curves.push_back(run.theory);
  return curves;
}

Contrast without_error(Contrast contrast, bool independent) {
  if (!independent) {
    contrast.error.reset();
    contrast.by_chance = 0.0;
  }
  return contrast;
}

}  // namespace

double value(const ComparedQuantity& quantity, const std::vector<double>& run) {
  if (quantity.compared == Compared::curve || run.empty()) return 0.0;
  return quantity.compared == Compared::last ? run.back() : mean(run);
}

Estimate value(const ComparedQuantity& quantity, const std::vector<Series>& runs) {
  return estimate(values_of(quantity, runs));
}

Estimate theory_value(const ComparedQuantity& quantity, const std::vector<Series>& runs) {
  std::vector<double> values;
  for (const Series& run : runs) values.push_back(value(quantity, run.theory));
  return estimate(values);
}

std::optional<double> Contrast::multiple() const {
  if (!error) return std::nullopt;
  const double beyond = difference - by_chance;
  if (beyond == 0.0) return *error > 0.0 ? std::optional(0.0) : std::nullopt;
  return *error > 0.0 ? beyond / *error : std::copysign(std::numeric_limits<double>::infinity(), beyond);
}

Contrast soft_against_hard(const ComparedQuantity& quantity) {
  if (quantity.compared != Compared::curve) {
    return without_error(numbers(values_of(quantity, quantity.soft), values_of(quantity, quantity.hard)).contrast,
                         quantity.independent);
  }
  const Curves soft = curves_of(quantity.soft);
  Curves hard = curves_of(quantity.hard);
  const double s = static_cast<double>(soft.size());
  double per_run = 1.0 / s + 1.0 / static_cast<double>(hard.size());
  Curves sample = hard;
  if (soft.size() >= kPairedRuns) {
    hard.resize(soft.size());
    per_run = 1.0 / s;
    for (std::size_t k = 0; k < soft.size(); ++k) sample[k] = differences(soft[k], hard[k]);
    sample.resize(soft.size());
  }
  const std::vector<double> to = mean_curve(hard);
  return without_error(contrast(differences(mean_curve(soft), to), to, sample, per_run), quantity.independent);
}

Contrast against_theory(const ComparedQuantity& quantity, const std::vector<Series>& runs) {
  const bool few = runs.size() < kPairedRuns;
  const double per_run = 1.0 / static_cast<double>(runs.size());
  if (quantity.compared == Compared::curve) {
    const Contrast found = contrast(mean_curve(from_theory(runs)), mean_curve(theory_of(runs)),
                                    from_theory(few ? quantity.hard : runs), per_run);
    return without_error(found, quantity.independent);
  }
  const auto from = [&](const std::vector<Series>& all) {
    std::vector<double> values;
    for (const Series& run : all) values.push_back(value(quantity, run.values) - value(quantity, run.theory));
    return values;
  };
  const std::vector<double> own = from(runs);
  const std::vector<double> others = few ? from(quantity.hard) : std::vector<double>{};
  const Contrast found = contrast(mean(own), theory_value(quantity, runs).value, own, others, per_run);
  return without_error(found, quantity.independent);
}

std::vector<Point> points(const ComparedQuantity& quantity) {
  std::vector<Point> all;
  for (std::size_t k = 0; k < quantity.x.size(); ++k) {
    const auto at = [&](const std::vector<Series>& runs) {
      std::vector<double> values;
      for (const Series& run : runs) values.push_back(run.values[k]);
      return values;
    };
    const std::vector<double> soft = at(quantity.soft);
    const std::vector<double> hard = at(quantity.hard);
    const Numbers compared = numbers(soft, hard);
    Point point{.x = quantity.x[k], .soft = estimate(soft), .hard = estimate(hard), .centre = compared.centre};
    if (quantity.independent) {  // 0 where no hard run has anything
      point.chance = compared.centre == 0.0 ? 0.0 : compared.contrast.chance() * std::abs(compared.centre);
    }
    if (!quantity.theory_name.empty()) {
      std::vector<double> theory;
      for (const Series& run : quantity.hard) theory.push_back(run.theory[k]);
      point.theory = mean(theory);
    }
    all.push_back(point);
  }
  return all;
}

}  // namespace scree::compare
