"""Ratings, game by game."""

from expect import expected
from season import carried
from update import emphasis, rested, sharpened, step

START, DOUBT = 1500.0, 110.0


def rate(games, teams, parts):
    """Final ratings, forecasts and scores of all games; `parts` says which parts of the method are used."""
    ratings, deviations, last = [START] * teams, [DOUBT] * teams, [0] * teams
    chances, scores = [], []
    season = 0
    for game_season, day, home, away, scored, conceded in games:
        if game_season != season:
            season, last = game_season, [0] * teams
            if "summer" in parts:
                mean = sum(ratings) / teams
                pairs = [carried(rating, mean, doubt) for rating, doubt in zip(ratings, deviations)]
                ratings, deviations = [rating for rating, _ in pairs], [doubt for _, doubt in pairs]
        if "doubt" in parts:
            for team in (home, away):
                deviations[team] = rested(deviations[team], day - last[team])
                last[team] = day
        chance = expected(ratings[home], ratings[away], deviations[home], deviations[away])
        score = (1 + (scored > conceded) - (scored < conceded)) / 2
        chances.append(chance)
        scores.append(score)
        weight = 1.0
        if "goals" in parts:
            weight = emphasis(abs(scored - conceded), (2 * score - 1) * (ratings[home] - ratings[away]))
        change = weight * (score - chance)
        moves = step(deviations[home], deviations[away]) * change, step(deviations[away], deviations[home]) * change
        ratings[home], ratings[away] = ratings[home] + moves[0], ratings[away] - moves[1]
        if "doubt" in parts:
            deviations[home] = sharpened(deviations[home], chance)
            deviations[away] = sharpened(deviations[away], chance)
    return ratings, deviations, chances, scores
