"""Trains LightGBM and XGBoost on the sets in a folder and reloads Hone's models.

    python3 peers.py DIR

DIR holds, for each set k listed in DIR/sets.json ({"name", "width"}): k.trainx,
k.trainy, k.testx (little-endian float64, row-major) and k.model (text written by
Hone). Written back: k.lgb and k.xgb (predictions for testx by the peers' own
models) and k.loaded (predictions of k.model by LightGBM).
"""
import json
import sys

import lightgbm
import numpy
import xgboost

TREES, LEAVES, DEPTH, RATE = 40, 31, 6, 0.1


def main(folder):
    read = lambda name, width: numpy.fromfile(f"{folder}/{name}").reshape(-1, width)
    with open(f"{folder}/sets.json") as f:
        sets = json.load(f)
    for k, spec in enumerate(sets):
        x, test = read(f"{k}.trainx", spec["width"]), read(f"{k}.testx", spec["width"])
        y = read(f"{k}.trainy", 1)[:, 0]
        lgb = lightgbm.train(
            dict(objective="regression", num_leaves=LEAVES, max_depth=DEPTH, learning_rate=RATE, lambda_l2=1,
                 min_data_in_leaf=20, min_data_in_bin=1, verbose=-1, num_threads=1, deterministic=True),
            lightgbm.Dataset(x, y), TREES)
        lgb.predict(test).astype("f8").tofile(f"{folder}/{k}.lgb")
        xgb = xgboost.train(
            dict(tree_method="hist", grow_policy="lossguide", max_leaves=LEAVES, max_depth=DEPTH, eta=RATE,
                 reg_lambda=1, min_child_weight=20, nthread=1),
            xgboost.DMatrix(x, y), TREES)
        xgb.predict(xgboost.DMatrix(test)).astype("f8").tofile(f"{folder}/{k}.xgb")
        loaded = lightgbm.Booster(model_file=f"{folder}/{k}.model")
        loaded.predict(test, raw_score=True).astype("f8").tofile(f"{folder}/{k}.loaded")


main(sys.argv[1])
